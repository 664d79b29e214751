import { findRoom, requireModerator } from '../access.ts';
import { type Caller, rulesServer } from '../caller.ts';
import type { Change, ChangeView, StateView, Write } from '../change.ts';
import type { Secret } from '../copilot/copilot.ts';
import { checkIfMatch } from '../etag.ts';
import type { EventType } from '../event.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { parentIdOf, requireShown, rightEndsAt } from '../token/lineage.ts';
import type { Hook, IncomingKind } from './hook.ts';
import { forgiven } from './progress.ts';
import { hookRemoval } from './removal.ts';
import { rotated } from './rotation.ts';

export const hookEtag = (version: number): string => `"h${version}"`;

/** A requested hook. */
export interface HookDraft {
  readonly direction: 'incoming' | 'outgoing';
  readonly roomId?: string | null | undefined;
  readonly name: string;
  readonly kind?: IncomingKind | undefined;
  readonly threadId?: string | null | undefined;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly allowPrivate?: boolean | undefined;
}

/** A new secret: the hash for an incoming hook, the encrypted secret for an outgoing one. */
export type HookSecret = { readonly hash: string } | { readonly sealed: Secret };

/** Refuses forbidden addresses. */
export type UrlCheck = (url: string, allowPrivate: boolean) => Refusal | undefined;

/** The hook, if the caller may manage it; other hooks look as if they did not exist. */
export function findHook(view: StateView, caller: Caller, id: string): Outcome<Hook> {
  const hook = view.get('hook', id);
  return hook && mayManage(view, caller, hook) ? accepted(hook) : noSuchHook(id);
}

export const noSuchHook = (id: string): Refusal => refuse('hook_not_found', `there is no hook ${id}`);

export function mayManage(view: StateView, caller: Caller, { roomId }: Pick<Hook, 'roomId'>): boolean {
  if (roomId === null) return rulesServer(caller);
  const found = findRoom(view, caller, roomId);
  return found.ok && found.value.isModerator;
}

export interface CreatedHook {
  readonly hook: Hook;
  /** The position of its creation; it is notified of later events. */
  readonly pos: number;
}

/** `POST /api/hook` */
export function createHook(
  caller: Caller,
  id: string,
  draft: HookDraft,
  secret: HookSecret,
  checkUrl: UrlCheck,
): Change<CreatedHook> {
  return {
    decide(view) {
      const place = placeOf(view, caller, draft);
      if (!place.ok) return place;
      const refusal = requireLasting(view, caller);
      if (refusal) return refusal;
      const roomId = place.value;
      const common = {
        id,
        name: draft.name,
        createdBy: caller.user.id,
        createdAt: view.now,
        updatedAt: view.now,
        version: 1,
        ...tokenOf(view, caller),
      };
      const made = hookOf(caller, draft, { ...common, roomId }, secret, checkUrl);
      if (!made.ok) return made;
      const hook = made.value;
      const write = writeHook(view, caller, 'hook.created', hook, secret);
      return { ok: true, write, answer: (committed) => ({ hook, pos: committed[0]?.pos ?? 0 }) };
    },
  };
}

/** `PUT /api/hook/:id`; `secret` only where a new one was requested. */
export function replaceHook(
  caller: Caller,
  id: string,
  draft: Omit<HookDraft, 'direction' | 'roomId'>,
  secret: HookSecret | undefined,
  ifMatch: string | undefined,
  checkUrl: UrlCheck,
): Change<Hook> {
  return {
    decide(view) {
      const found = findHook(view, caller, id);
      if (!found.ok) return found;
      const old = found.value;
      const mismatch = checkIfMatch(ifMatch, hookEtag(old.version));
      if (mismatch) return mismatch;
      const { createdBy, createdAt, roomId, direction, tokenId } = old;
      const isRenewed = secret !== undefined || (draft.url !== undefined && 'url' in old && draft.url !== old.url);
      const refusal = isRenewed ? requireLasting(view, caller) : undefined;
      if (refusal) return refusal;
      const common = {
        id,
        name: draft.name,
        createdBy,
        createdAt,
        updatedAt: view.now,
        version: old.version + 1,
        roomId,
        ...(isRenewed ? tokenOf(view, caller) : tokenId === undefined ? {} : { tokenId }),
      };
      const kept: HookSecret | undefined =
        secret ?? (old.direction === 'incoming' ? { hash: old.secretHash } : undefined);
      const whole = old.direction === 'outgoing' ? { ...draft, url: draft.url ?? old.url } : draft;
      const made = hookOf(caller, { ...whole, direction, roomId }, common, kept, checkUrl, old);
      if (!made.ok) return made;
      const hook = made.value;
      if (!secret && isSame(hook, old)) return { ok: true, write: null, answer: () => old };
      return { ok: true, write: writeHook(view, caller, 'hook.updated', hook, secret), answer: () => hook };
    },
  };
}

function isSame(hook: Hook, old: Hook): boolean {
  const { version, updatedAt } = old;
  return JSON.stringify({ ...old, ...hook, version, updatedAt }) === JSON.stringify(old);
}

/** `DELETE /api/hook/:id` */
export function removeHook(caller: Caller, id: string, ifMatch: string | undefined): Change<Hook> {
  return {
    decide(view) {
      const found = findHook(view, caller, id);
      if (!found.ok) return found;
      const hook = found.value;
      const mismatch = checkIfMatch(ifMatch, hookEtag(hook.version));
      if (mismatch) return mismatch;
      const records = hookRemoval(hook);
      const audit = [{ at: view.now, by: caller.user.id, action: 'hook.delete', roomId: hook.roomId, subject: id }];
      return {
        ok: true,
        write: { records, audit, events: [{ type: 'hook.deleted', roomId: hook.roomId, hook }] },
        answer: () => hook,
      };
    },
  };
}

/** The id of the hook's room. */
function placeOf(view: StateView, caller: Caller, { direction, roomId }: HookDraft): Outcome<string | null> {
  if (roomId === undefined || roomId === null) {
    if (direction === 'incoming')
      return refuse('invalid_body', 'roomId: an incoming hook posts into a room; name it', { path: 'roomId' });
    return rulesServer(caller)
      ? accepted(null)
      : refuse('forbidden', 'only an admin of the server makes hooks for all rooms; name a roomId', { path: 'roomId' });
  }
  const found = findRoom(view, caller, roomId);
  if (!found.ok) return found;
  return requireModerator(found.value) ?? accepted(found.value.room.id);
}

/** A hook is used without a token, so its creator's token must not expire. */
function requireLasting(view: StateView, caller: Caller): Refusal | undefined {
  const gone = requireShown(view, caller);
  if (gone || rightEndsAt(view, caller) === null) return gone;
  return refuse('forbidden', 'a hook would outlive your token, which expires: use one that does not');
}

function tokenOf(view: StateView, caller: Caller): Pick<Hook, 'tokenId'> {
  const tokenId = parentIdOf(view, caller);
  return tokenId === undefined ? {} : { tokenId };
}

type Common = Pick<Hook, 'id' | 'name' | 'createdBy' | 'createdAt' | 'updatedAt' | 'version' | 'roomId' | 'tokenId'>;

function hookOf(
  caller: Caller,
  draft: HookDraft,
  { roomId, ...common }: Common,
  secret: HookSecret | undefined,
  checkUrl: UrlCheck,
  old?: Hook,
): Outcome<Hook> {
  if (draft.direction === 'outgoing') return outgoingHook(caller, draft, { ...common, roomId }, checkUrl, old);
  const misplaced = (['url', 'events', 'allowPrivate'] as const).find((field) => draft[field] !== undefined);
  if (misplaced)
    return refuse('invalid_body', `${misplaced}: belongs to outgoing hooks; this one is incoming`, { path: misplaced });
  if (roomId === null || !secret || !('hash' in secret)) return noSuchHook(common.id);
  const { kind = 'auto', threadId = null } = draft;
  return accepted({ ...common, direction: 'incoming', roomId, kind, secretHash: secret.hash, threadId });
}

function outgoingHook(
  caller: Caller,
  draft: HookDraft,
  common: Common,
  checkUrl: UrlCheck,
  old: Hook | undefined,
): Outcome<Hook> {
  const { url, events = ['message.*'], enabled = true, allowPrivate = false, kind, threadId } = draft;
  if (kind !== undefined || (threadId ?? null) !== null) {
    const path = kind === undefined ? 'threadId' : 'kind';
    return refuse('invalid_body', `${path}: belongs to incoming hooks; this one is outgoing`, { path });
  }
  if (url === undefined) return refuse('invalid_body', 'url: must be there', { path: 'url' });
  const isAllowed = old?.direction === 'outgoing' && old.allowPrivate && old.url === url;
  if (allowPrivate && !isAllowed && !rulesServer(caller))
    return refuse('forbidden', 'allowPrivate: only an admin of the server may allow private addresses', {
      path: 'allowPrivate',
    });
  const refusal = checkUrl(url, allowPrivate);
  if (refusal) return { ...refusal, reason: `url: ${refusal.reason}`, path: 'url' };
  return accepted({ ...common, direction: 'outgoing', url, events, enabled, allowPrivate });
}

function writeHook(
  view: ChangeView,
  caller: Caller,
  type: Extract<EventType, 'hook.created' | 'hook.updated'>,
  hook: Hook,
  secret: HookSecret | undefined,
): Write {
  const records: RecordChange[] = [record('hook', hook.id, hook)];
  const old = view.get('hook', hook.id);
  const progress = view.get('progress', hook.id);
  // An enabled one has failures that are not stored yet: its node forgives them.
  if (progress && old?.direction === 'outgoing' && !old.enabled)
    records.push(record('progress', hook.id, forgiven(progress)));
  if (secret && 'sealed' in secret) {
    const key = `hook/${hook.id}`;
    records.push(record('secret', key, rotated(secret.sealed, view.get('secret', key), view.now)));
  }
  const action = type === 'hook.created' ? 'hook.create' : 'hook.update';
  const audit = [{ at: view.now, by: caller.user.id, action, roomId: hook.roomId, subject: hook.id }];
  return { records, audit, events: [{ type, roomId: hook.roomId, hook }] };
}
