import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import { answerDeck } from '../../kernel/deck/route.ts';
import { type HttpContext, type HttpHandler, readBody } from '../../kernel/http/app.ts';
import { type PageFiles, serveLatePage } from '../../kernel/http/assets.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { matchesTag, weakTag } from '../contract/entity-tag.ts';
import type { ActivityReport, FlagDetails, FlagList, SwitchAnswer } from '../contract/page.ts';
import { NOT_JSON, PAGE_NOT_FOUND } from '../contract/refusal.ts';
import type { Environment } from '../environment.ts';
import type { PageAccess, PageRefusal, PageRequest } from '../page/access.ts';
import type { SwitchFault, WantedSwitch } from '../page/flag-switch.ts';
import { tryFlag } from '../page/flag-trial.ts';
import { answerJson, answerUnchanged, refuse, refusePlainly } from './answers.ts';
import type { Paths } from './index.ts';

export interface PageRouteParts {
  readonly access: PageAccess;
  readonly deck: Deck;
  readonly state: () => ServerState;
  /** Loads the files of the page. */
  readonly files: () => Promise<PageFiles>;
  readonly environments: () => readonly Environment[];
  readonly activity: (environment: string | undefined) => ActivityReport;
  readonly list: (environment: Environment) => FlagList;
  readonly details: (environment: Environment, key: string) => FlagDetails | undefined;
  /** A flag as YAML; refused if it is too large. */
  readonly yaml: (details: FlagDetails) => Promise<Outcome<string>>;
  readonly switchFlag: (
    environment: Environment,
    key: string,
    wanted: WantedSwitch,
  ) => Promise<Outcome<SwitchAnswer, SwitchFault>>;
  readonly maxBodyBytes: number;
}

const OWN = { name: 'relay', title: 'Flags', url: './' };

/** The page for browsers and its API. */
export function pagePaths(parts: PageRouteParts): Paths {
  const file = (path: (c: HttpContext) => string) => {
    const handle = visible(parts, getFile(parts, path));
    return { GET: handle, HEAD: handle };
  };
  const api = (handle: HttpHandler): HttpHandler => admitted(parts, handle);
  return {
    '/': file(() => 'index.html'),
    '/deck.json': { GET: visible(parts, answerDeck(parts.deck, OWN, parts.state)) },
    '/favicon.svg': file(() => 'favicon.svg'),
    '/assets/:file': file((c) => `assets/${c.req.param('file')}`),
    '/api/activity': { GET: api((c) => answerTagged(c, parts.activity(c.req.query('environment')))) },
    '/api/flags': { GET: api(listFlags(parts)) },
    '/api/flags/:key': { GET: api(readFlag(parts)) },
    '/api/flags/:key/switch': { POST: api(switchFlag(parts)) },
    '/api/try': { POST: api(tryContext(parts)) },
  };
}

/** Answers clients for which the page opens, signed in or not. */
function visible({ access }: PageRouteParts, handle: HttpHandler): HttpHandler {
  return (c, next) => {
    const refusal = access.refusePage(pageRequest(c));
    return refusal ? refusePlainly(c, 404, `${PAGE_NOT_FOUND}${refusal.reason}\n`) : handle(c, next);
  };
}

function getFile({ files }: PageRouteParts, path: (c: HttpContext) => string): HttpHandler {
  const serve = serveLatePage(files);
  return async (c) => (await serve(c, path(c))) ?? refusePlainly(c, 404, PAGE_NOT_FOUND);
}

function pageRequest(c: HttpContext): PageRequest {
  const incoming = c.env?.incoming;
  const { headers = {}, httpVersion = '', socket } = incoming ?? {};
  const host = headers.host ?? headers[':authority'];
  return {
    method: c.req.method,
    peer: socket?.remoteAddress,
    httpVersion,
    headers: host === undefined ? headers : { ...headers, host },
  };
}

const REFUSAL_STATUS: Readonly<Record<PageRefusal['kind'], 401 | 403>> = { closed: 403, 'no token': 401, foreign: 403 };

function admitted({ access }: PageRouteParts, handle: HttpHandler): HttpHandler {
  return (c, next) => {
    const refusal = access.refuse(pageRequest(c));
    if (!refusal) return handle(c, next);
    const challenge: Record<string, string> = refusal.kind === 'no token' ? { 'www-authenticate': 'Bearer' } : {};
    return refuse(c, REFUSAL_STATUS[refusal.kind], refusal.reason, { ...FRESH, ...challenge });
  };
}

const FRESH = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** With an entity tag, so that a repeated request costs no transfer. */
function answerTagged(c: HttpContext, document: object): Response {
  const json = JSON.stringify(document);
  const tag = createHash('sha1').update(json).digest('base64url');
  const headers = { ...FRESH, etag: weakTag(tag) };
  return matchesTag(c.req.header('if-none-match'), tag) ? answerUnchanged(c, headers) : answerJson(c, json, headers);
}

const answerFresh = (c: HttpContext, document: object): Response => answerJson(c, JSON.stringify(document), FRESH);

/** The environment of this name; without a name the first one. */
function findEnvironment(parts: PageRouteParts, name: string | undefined): Environment | undefined {
  const environments = parts.environments();
  return name === undefined ? environments[0] : environments.find(({ options }) => options.name === name);
}

const unknownEnvironment = (c: HttpContext): Response =>
  refuse(c, 404, 'unknown environment; GET /api/activity lists them', FRESH);
const unknownFlag = (c: HttpContext): Response => refuse(c, 404, 'unknown flag; GET /api/flags lists them', FRESH);

function listFlags(parts: PageRouteParts): HttpHandler {
  return (c) => {
    const environment = findEnvironment(parts, c.req.query('environment'));
    return environment ? answerTagged(c, parts.list(environment)) : unknownEnvironment(c);
  };
}

function readFlag(parts: PageRouteParts): HttpHandler {
  return async (c) => {
    const environment = findEnvironment(parts, c.req.query('environment'));
    if (!environment) return unknownEnvironment(c);
    const details = parts.details(environment, c.req.param('key') ?? '');
    if (!details) return unknownFlag(c);
    if (c.req.query('format') !== 'yaml') return answerTagged(c, details);
    const yaml = await parts.yaml(details);
    if (!yaml.ok) return refuse(c, 413, yaml.reason, FRESH);
    return c.body(yaml.value, 200, { ...FRESH, 'content-type': 'text/yaml; charset=utf-8' });
  };
}

const MAX_COMMENT = 500;

const switchSchema = v.object({
  environment: v.string(),
  on: v.boolean(),
  version: v.number(),
  comment: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(MAX_COMMENT)), ''),
});

const SWITCH_STATUS = { unknown: 404, 'read-only': 409, conflict: 409, failed: 500 } as const;

function switchFlag(parts: PageRouteParts): HttpHandler {
  return async (c) => {
    const body = await readJson(c, parts, switchSchema);
    if (body instanceof Response) return body;
    const environment = findEnvironment(parts, body.environment);
    if (!environment) return unknownEnvironment(c);
    const { on: isOn, version, comment } = body;
    const switched = await parts.switchFlag(environment, c.req.param('key') ?? '', { isOn, version, comment });
    return switched.ok
      ? answerFresh(c, switched.value)
      : refuse(c, SWITCH_STATUS[switched.kind], switched.reason, FRESH);
  };
}

const trySchema = v.object({ environment: v.string(), flag: v.string(), context: v.unknown() });

function tryContext(parts: PageRouteParts): HttpHandler {
  return async (c) => {
    const body = await readJson(c, parts, trySchema);
    if (body instanceof Response) return body;
    const environment = findEnvironment(parts, body.environment);
    if (!environment) return unknownEnvironment(c);
    const tried = await tryFlag(environment, body.flag, body.context);
    if (!tried) return unknownFlag(c);
    return tried.ok ? answerFresh(c, tried.value) : refuse(c, 400, tried.reason, FRESH);
  };
}

/** The body, or the refusal. Its type makes a browser ask before a page of another site sends it. */
async function readJson<S extends v.GenericSchema>(
  c: HttpContext,
  { maxBodyBytes }: PageRouteParts,
  schema: S,
): Promise<v.InferOutput<S> | Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) return refuse(c, 415, NOT_JSON, FRESH);
  const body = await readBody(c, maxBodyBytes);
  if (!body.ok) return refuse(c, 413, `the body exceeds ${maxBodyBytes} bytes`, FRESH);
  const parsed = v.safeParse(schema, parseJson(body.bytes));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue);
  return refuse(c, 400, `${path === null ? 'the body' : path}: ${issue.message}`, FRESH);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
