import * as v from 'valibot';
import type { Hook, HookProgress } from '../domain/hook/hook.ts';
import { printInstant } from './instant.ts';
import { lineSchema } from './text.ts';

const name = lineSchema(1, 80);
const url = v.pipe(v.string(), v.maxLength(2_048, '2048 characters at the most'));
const events = v.pipe(
  v.array(v.pipe(v.string(), v.regex(/^(\*|[a-z]+\.(\*|[a-z]+))$/, 'an event type, a prefix such as message.*, or *'))),
  v.minLength(1, 'name at least one'),
  v.maxLength(40),
);
const kind = v.picklist(['auto', 'json', 'slack', 'alertmanager', 'text']);
const roomId = v.nullish(v.string());
const threadId = v.nullish(v.string());

/** The body of `POST /api/hook`. */
export const hookRequest = v.strictObject({
  direction: v.picklist(['incoming', 'outgoing']),
  roomId,
  name,
  kind: v.optional(kind),
  threadId,
  url: v.optional(url),
  events: v.optional(events),
  enabled: v.optional(v.boolean()),
  allowPrivate: v.optional(v.boolean()),
});

const ignored = v.optional(v.unknown());

/** The body of `PUT /api/hook/:id`; what the server owns may be sent back, and counts for nothing. */
export const hookReplacement = v.strictObject({
  name,
  kind: v.optional(kind),
  threadId,
  url: v.optional(url),
  events: v.optional(events),
  enabled: v.optional(v.boolean()),
  allowPrivate: v.optional(v.boolean()),
  /** Makes a new secret, which the answer shows this once. */
  rotateSecret: v.optional(v.boolean()),
  id: ignored,
  direction: ignored,
  roomId: ignored,
  createdBy: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  version: ignored,
  ordered: ignored,
  cursor: ignored,
  failures: ignored,
  lastStatus: ignored,
  lastError: ignored,
});

export type HookRequest = v.InferOutput<typeof hookRequest>;
export type HookReplacement = v.InferOutput<typeof hookReplacement>;

/** A hook as all who read its room are told of it: its address may hold a key, and is for those who manage it. */
export function wireHookEvent(hook: Hook, progress?: HookProgress): object {
  const { url: _, lastError: __, ...shown } = wireHook(hook, progress) as { url?: string; lastError?: string | null };
  return shown;
}

/** A hook on the wire: never its secret, which is shown once, when it is made. */
export function wireHook(hook: Hook, progress?: HookProgress): object {
  const { createdAt, updatedAt, tokenId: _, ...rest } = hook;
  const times = { createdAt: printInstant(createdAt), updatedAt: printInstant(updatedAt) };
  if (rest.direction === 'incoming') {
    const { secretHash: __, ...plain } = rest;
    return { ...plain, ...times };
  }
  const { cursor = 0, failures = 0, lastStatus = null, lastError = null } = progress ?? {};
  return { ...rest, ...times, ordered: true, cursor, failures, lastStatus, lastError };
}
