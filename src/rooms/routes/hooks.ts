import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { WireShownHook } from '../contract/hook.ts';
import { hookReplacement, hookRequest, wireHook } from '../contract/hook.ts';
import { hookEtag } from '../domain/hook/change.ts';
import type { IncomingBody } from '../domain/message/incoming-post.ts';
import type { JsonValue } from '../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { IncomingHooks } from '../hooks/incoming-hooks.ts';
import type { HookRegistry, ShownHook } from '../hooks/registry.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { decodeText, readBytes, readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

/** The largest webhook: a group of thousands of alerts. */
const MAX_INCOMING_BYTES = 8 * 2 ** 20;
const JSON_LIMIT = 64 * 1024;

export interface HookRoutes {
  readonly guard: GuardParts;
  readonly registry: HookRegistry;
  readonly incoming: IncomingHooks;
  readonly requireIfMatch: boolean;
}

/** Hooks: outgoing ones notify an address of events, incoming ones post what they receive. */
export function hookPaths(parts: HookRoutes): Paths {
  const { guard } = parts;
  return {
    '/api/hook': {
      GET: admit(guard, { scope: 'hook' }, listHooks(parts)),
      POST: admit(guard, { scope: 'hook', idempotent: 'secret' }, postHook(parts)),
    },
    '/api/hook/:id': {
      GET: admit(guard, { scope: 'hook' }, getHook(parts)),
      PUT: admit(guard, { scope: 'hook' }, putHook(parts)),
      DELETE: admit(guard, { scope: 'hook' }, deleteHook(parts)),
    },
    '/api/hook/:id/redeliver': { POST: admit(guard, { scope: 'hook' }, redeliver(parts)) },
    // The secret in the path is all that a sender shows.
    '/api/hook/:id/:secret': { POST: receive(parts) },
  };
}

const wire = ({ registry }: HookRoutes, { hook, secret }: ShownHook): WireShownHook => ({
  ...wireHook(hook, registry.progressOf(hook.id)),
  ...(secret === undefined ? {} : { secret }),
  ...(secret === undefined || hook.direction === 'outgoing' ? {} : { path: `/api/hook/${hook.id}/${secret}` }),
});

function listHooks(parts: HookRoutes): CallerHandler {
  return (c, caller) => answer(c, { hooks: parts.registry.list(caller).map((hook) => wire(parts, { hook })) });
}

function postHook(parts: HookRoutes): CallerHandler {
  return async (c, caller) => {
    const request = await readJson(c, hookRequest, JSON_LIMIT);
    if (!request.ok) return answerRefusal(c, request);
    return answerOutcome(c, await parts.registry.create(caller, request.value), (shown) => {
      const { id, version } = shown.hook;
      return answer(c, wire(parts, shown), 201, { location: `/api/hook/${id}`, etag: hookEtag(version) });
    });
  };
}

function getHook(parts: HookRoutes): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, parts.registry.find(caller, param(c, 'id')), (hook) =>
      answerTagged(c, hookEtag(hook.version), () => JSON.stringify(wire(parts, { hook }))),
    );
}

function putHook(parts: HookRoutes): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const request = await readJson(c, hookReplacement, JSON_LIMIT);
    if (!request.ok) return answerRefusal(c, request);
    const replaced = await parts.registry.replace(caller, param(c, 'id'), request.value, ifMatch.value);
    return answerOutcome(c, replaced, (shown) =>
      answer(c, wire(parts, shown), 200, { etag: hookEtag(shown.hook.version) }),
    );
  };
}

function deleteHook(parts: HookRoutes): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const removed = await parts.registry.remove(caller, param(c, 'id'), ifMatch.value);
    return answerOutcome(c, removed, (hook) => answer(c, wire(parts, { hook })));
  };
}

function redeliver(parts: HookRoutes): CallerHandler {
  return async (c, caller) => {
    const from = c.req.query('from') ?? '';
    if (!/^\d{1,15}$/.test(from))
      return answerRefusal(
        c,
        refuse('invalid_query', 'from: the position from which to deliver again, such as ?from=104233'),
      );
    const rewound = await parts.registry.redeliver(caller, param(c, 'id'), Math.max(1, Number(from)));
    return answerOutcome(c, rewound, (hook) => answer(c, wire(parts, { hook }), 202));
  };
}

function receive({ registry, incoming, guard }: HookRoutes): HttpHandler {
  return async (c) => {
    const hook = registry.open(param(c, 'id'), param(c, 'secret'));
    if (!hook.ok) return answerRefusal(c, hook);
    const { refusal } = guard.limits.take(hook.value.createdBy, 'hook');
    if (refusal) return answerRefusal(c, refusal);
    const bytes = await readBytes(c, MAX_INCOMING_BYTES);
    if (!bytes.ok) return answerRefusal(c, bytes);
    const body = readIncomingBody(c, bytes.value);
    if (!body.ok) return answerRefusal(c, body);
    const received = await incoming.receive(hook.value, body.value);
    return answerOutcome(c, received, ({ stored, kind, isNew }) => {
      // Slack's clients expect this body.
      if (kind === 'slack') return c.body('ok', 200, { 'content-type': 'text/plain; charset=utf-8' });
      const { id, seq, version } = stored.message;
      return answer(c, { id, seq, version }, isNew ? 201 : 200, { location: `/api/message/${id}` });
    });
  };
}

/** Of slack_sdk (`Python/3.11 slackclient/3.48`), `@slack/webhook` and Slack's client for Java. */
const SLACK_AGENT = /\bslack/i;

/** JSON by its type or, where that is missing or a form's, by its content; also Slack's old form field `payload`. */
function readIncomingBody(c: HttpContext, bytes: Uint8Array): Outcome<IncomingBody> {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return decoded;
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/x-www-form-urlencoded') {
    const payload = new URLSearchParams(decoded.value).get('payload');
    if (payload !== null) return parse(payload, true);
  }
  const isSlackRequest = SLACK_AGENT.test(c.req.header('user-agent') ?? '');
  if (type === 'application/json' || type.endsWith('+json')) return parse(decoded.value, isSlackRequest);
  if (type === 'text/plain' || !/^\s*\{/.test(decoded.value)) return accepted({ form: 'text', text: decoded.value });
  const parsed = parse(decoded.value, isSlackRequest);
  return parsed.ok ? parsed : accepted({ form: 'text', text: decoded.value });
}

function parse(text: string, isSlackRequest: boolean): Outcome<IncomingBody> {
  try {
    return accepted({ form: 'json', json: JSON.parse(text) as JsonValue, isSlackRequest });
  } catch (error) {
    return refuse('invalid_json', `the body is not JSON: ${(error as Error).message}`);
  }
}
