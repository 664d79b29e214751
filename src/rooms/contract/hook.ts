import * as v from 'valibot';
import type { Hook, HookProgress, IncomingHook, OutgoingHook } from '../domain/hook/hook.ts';
import { type Printed, printInstant } from './instant.ts';
import { lineSchema, ownedSchema } from './text.ts';

const name = lineSchema(1, 80);
const url = v.pipe(v.string(), v.maxLength(2_048, 'at most 2048 characters'));
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

/** The body of `PUT /api/hook/:id`; fields of the server are accepted and ignored. */
export const hookReplacement = v.strictObject({
  name,
  kind: v.optional(kind),
  threadId,
  url: v.optional(url),
  events: v.optional(events),
  enabled: v.optional(v.boolean()),
  allowPrivate: v.optional(v.boolean()),
  /** Makes a new secret, which only this answer shows. */
  rotateSecret: v.optional(v.boolean()),
  id: ownedSchema,
  direction: ownedSchema,
  roomId: ownedSchema,
  createdBy: ownedSchema,
  createdAt: ownedSchema,
  updatedAt: ownedSchema,
  version: ownedSchema,
  ordered: ownedSchema,
  cursor: ownedSchema,
  failures: ownedSchema,
  lastStatus: ownedSchema,
  lastError: ownedSchema,
});

export type HookRequest = v.InferOutput<typeof hookRequest>;
export type HookBody = v.InferInput<typeof hookRequest>;
export type HookReplacement = v.InferOutput<typeof hookReplacement>;

/** A hook on the wire: never its secret, which is shown once, when it is made. */
export type WireHook = WireIncomingHook | WireOutgoingHook;

type WireIncomingHook = Omit<Printed<IncomingHook, 'createdAt' | 'updatedAt'>, 'tokenId' | 'secretHash'>;

interface WireOutgoingHook
  extends Omit<Printed<OutgoingHook, 'createdAt' | 'updatedAt'>, 'tokenId'>,
    Omit<HookProgress, 'failingSince'> {
  readonly ordered: true;
}

/** A hook in the answers to those who manage it; its secret and the path with it only when the secret is made. */
export type WireShownHook = WireHook & { readonly secret?: string; readonly path?: string };

/** A hook as all readers of its room see it: its address may hold a key, and is only for those who manage it. */
export type WireHookEvent = WireIncomingHook | Omit<WireOutgoingHook, 'url' | 'lastError'>;

export function wireHookEvent(hook: Hook, progress?: HookProgress): WireHookEvent {
  const wire = wireHook(hook, progress);
  if (wire.direction === 'incoming') return wire;
  const { url: _, lastError: __, ...shown } = wire;
  return shown;
}

export function wireHook(hook: Hook, progress?: HookProgress): WireHook {
  const { createdAt, updatedAt, tokenId: _, ...rest } = hook;
  const times = { createdAt: printInstant(createdAt), updatedAt: printInstant(updatedAt) };
  if (rest.direction === 'incoming') {
    const { secretHash: __, ...plain } = rest;
    return { ...plain, ...times };
  }
  const { cursor = 0, failures = 0, lastStatus = null, lastError = null } = progress ?? {};
  return { ...rest, ...times, ordered: true, cursor, failures, lastStatus, lastError };
}
