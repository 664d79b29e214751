import type { DeckReport } from '../../kernel/deck/report.ts';
import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Failure } from '../contract/failure.ts';
import type { HubPage } from '../hub-page.ts';
import { keepHubView, readHubView } from '../hub-view.ts';
import type { FileAnswer, FileRequest } from '../project-files/answer.ts';
import type { ProjectFile, ProjectFiles } from '../project-files/project-files.ts';
import { isDefaultCsv } from '../project-files/rules.ts';
import type { SampleFile } from '../sample.ts';
import { refuse } from './answers.ts';
import { CONTENT_SECURITY_POLICY } from './guard.ts';
import type { Paths } from './index.ts';

export type PageServer = (c: HttpContext, path: string) => Response | undefined;

export interface FileRouteParts {
  /** Serves a file of the analytics page by its path. */
  readonly page: PageServer;
  readonly hub: HubPage;
  readonly files: Pick<ProjectFiles, 'open'>;
  readonly answerFile: (file: ProjectFile, request: FileRequest) => Promise<FileAnswer>;
  readonly readSample: (name: string) => SampleFile | undefined;
}

const PRIVATE_FILE: Failure = {
  error: 'the file is not served, because other users of this machine cannot read it',
  code: 'file_not_public',
  hint: 'chmod o+r the file, and o+x its folders up to the project.',
};

/** Pages of the project may be viewed, without the rights of this server's own pages. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** `readDeck` reports the servers that the hub page links to. */
export function pagePaths(parts: FileRouteParts, readDeck: () => Promise<DeckReport>): Paths {
  const hub = readHub(parts.hub, readDeck);
  const analytics = readAnalytics(parts);
  const sample = readSampleFile(parts);
  const toAnalytics = (c: HttpContext) => c.redirect('../analytics', 308);
  return {
    '/': { GET: hub, HEAD: hub },
    '/analytics': { GET: analytics, HEAD: analytics },
    '/analytics/': { GET: toAnalytics, HEAD: toAnalytics },
    '/sample/:name': { GET: sample, HEAD: sample },
  };
}

/** A page without scripts: a choice is a link, which sets a cookie and leads back. */
function readHub({ print, styleHash }: HubPage, readDeck: () => Promise<DeckReport>): HttpHandler {
  const policy = `default-src 'none'; style-src '${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return async (c) => {
    for (const key of ['language', 'theme'] as const) {
      const cookie = keepHubView(key, c.req.query(key));
      if (cookie !== undefined)
        return c.body(null, 303, { location: './', 'set-cookie': cookie, 'cache-control': 'no-store' });
    }
    const view = readHubView(c.req.header('cookie'), c.req.header('accept-language'));
    const { html, etag } = print(await readDeck(), c.req.url, view);
    const vary = 'Cookie, Accept-Language';
    const headers = { etag, vary, 'cache-control': 'no-cache', 'content-security-policy': policy };
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    return answerText(c, html, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  };
}

function readAnalytics(parts: FileRouteParts): HttpHandler {
  return (c) => servePageFile(c, parts, 'index.html') ?? notFound(c);
}

/** The sample that the page shows before there is any data. */
function readSampleFile({ readSample }: FileRouteParts): HttpHandler {
  return (c) => {
    const sample = readSample(c.req.param('name') ?? '');
    if (!sample) return notFound(c);
    const headers = { 'content-type': sample.contentType, 'cache-control': 'no-store' };
    return answerText(c, sample.text, headers);
  };
}

/** Every other GET: a file of the page, or of the project. */
export function readFile(parts: FileRouteParts): (c: HttpContext) => Promise<Response> {
  return async (c) => {
    const { method } = c.req;
    const path = decodePath(c.req.url);
    if (path === undefined) return notFound(c);
    const known = path === 'index.html' ? undefined : servePageFile(c, parts, path);
    if (known) return known;
    const file = await parts.files.open(path);
    // The existence of other private files is not revealed.
    if (file === 'private' && isDefaultCsv(path)) return refuse(c, 403, PRIVATE_FILE);
    if (!file || file === 'private') return notFound(c);
    const { status, headers, body } = await parts.answerFile(file, {
      method,
      range: c.req.header('range'),
      ifRange: c.req.header('if-range'),
      ifNoneMatch: c.req.header('if-none-match'),
      acceptEncoding: c.req.header('accept-encoding'),
    });
    const all = { ...headers, 'content-security-policy': SANDBOX };
    // Hono's types know 304 only without a body.
    return body === null || status === 304 ? c.body(null, status, all) : c.body(body, status, all);
  };
}

function answerText(c: HttpContext, text: string, headers: Readonly<Record<string, string>>): Response {
  return c.req.method === 'HEAD' ? c.body(null, 200, headers) : c.body(text, 200, headers);
}

export function notFound(c: HttpContext): Response {
  return refuse(c, 404, { error: 'there is nothing here', code: 'not_found' });
}

/** Replaces the kernel's policy, which allows neither workers nor images from blobs. */
function servePageFile(c: HttpContext, { page }: FileRouteParts, path: string): Response | undefined {
  const response = page(c, path);
  response?.headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
  return response;
}

/** Undefined for an invalid escape. */
function decodePath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname).replace(/^\//, '');
  } catch {
    return undefined;
  }
}
