import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Failure } from '../contract/failure.ts';
import type { FileAnswer, FileRequest } from '../project-files/answer.ts';
import type { ProjectFile, ProjectFiles } from '../project-files/project-files.ts';
import { isDefaultCsv } from '../project-files/rules.ts';
import type { SampleFile } from '../sample.ts';
import { refuse } from './answers.ts';
import { CONTENT_SECURITY_POLICY } from './guard.ts';

export type PageServer = (c: HttpContext, path: string) => Response | undefined;

export interface FileRoutes {
  /** Serves a file of the analytics page by its path. */
  readonly page: PageServer;
  /** The hub page, and the hash that its inline style has in a content security policy. */
  readonly hub: { readonly html: string; readonly etag: string; readonly styleHash: string };
  readonly files: Pick<ProjectFiles, 'open'>;
  readonly answerFile: (file: ProjectFile, request: FileRequest) => Promise<FileAnswer>;
  readonly readSample: (name: string) => SampleFile | undefined;
}

const PRIVATE_FILE: Failure = {
  error: 'other users of this machine cannot read the file, so that it is not served',
  code: 'file_not_public',
  hint: 'chmod o+r the file, and o+x its folders up to the project.',
};

/** A page that somebody put into the project may be looked at; it is not one of this server's. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** GET /: a page without scripts. */
export function readHub({ hub: { html, etag, styleHash } }: FileRoutes): HttpHandler {
  const policy = `default-src 'none'; style-src '${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return (c) => {
    const headers = { etag, 'cache-control': 'no-cache', 'content-security-policy': policy };
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    return answerText(c, html, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  };
}

/** GET /analytics */
export function readAnalytics(routes: FileRoutes): HttpHandler {
  return (c) => servePageFile(c, routes, 'index.html') ?? notFound(c);
}

/** GET /sample/{name}: what is shown before there is any data. */
export function readSampleFile({ readSample }: FileRoutes): HttpHandler {
  return (c) => {
    const sample = readSample(c.req.param('name') ?? '');
    if (!sample) return notFound(c);
    const headers = { 'content-type': sample.contentType, 'cache-control': 'no-store' };
    return answerText(c, sample.text, headers);
  };
}

/** Every other GET: a file of the page, or of the project. */
export function readFile(routes: FileRoutes): (c: HttpContext) => Promise<Response> {
  return async (c) => {
    const { method } = c.req;
    const path = decodePath(c.req.url);
    if (path === undefined) return notFound(c);
    const known = path === 'index.html' ? undefined : servePageFile(c, routes, path);
    if (known) return known;
    const file = await routes.files.open(path);
    // Of other files nobody learns that they are there.
    if (file === 'private' && isDefaultCsv(path)) return refuse(c, 403, PRIVATE_FILE);
    if (!file || file === 'private') return notFound(c);
    const { status, headers, body } = await routes.answerFile(file, {
      method,
      range: c.req.header('range'),
      ifRange: c.req.header('if-range'),
      ifNoneMatch: c.req.header('if-none-match'),
      acceptEncoding: c.req.header('accept-encoding'),
    });
    const all = { ...headers, 'content-security-policy': SANDBOX };
    // A status that has no body has a type of its own.
    return body === null || status === 304 ? c.body(null, status, all) : c.body(body, status, all);
  };
}

function answerText(c: HttpContext, text: string, headers: Readonly<Record<string, string>>): Response {
  return c.req.method === 'HEAD' ? c.body(null, 200, headers) : c.body(text, 200, headers);
}

export function notFound(c: HttpContext): Response {
  return refuse(c, 404, { error: 'there is nothing here', code: 'not_found' });
}

/** The policy of the kernel's pages knows no workers of their own and no images out of the page. */
function servePageFile(c: HttpContext, { page }: FileRoutes, path: string): Response | undefined {
  const response = page(c, path);
  response?.headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
  return response;
}

/** Undefined: the path has an escape that is none. */
function decodePath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname).replace(/^\//, '');
  } catch {
    return undefined;
  }
}
