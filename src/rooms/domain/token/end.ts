import type { StateView } from '../change.ts';
import type { EventDraft } from '../event.ts';
import { hookRemoval } from '../hook/removal.ts';
import { type RecordChange, record } from '../record.ts';
import type { Token } from './token.ts';

export interface TokenEnd {
  readonly events: readonly EventDraft[];
  readonly records: readonly RecordChange[];
}

/**
 * Ends tokens, their sessions and their streams; with children everything that descends from them, hooks and invites
 * included. Remaining descendants get their parent's parent.
 */
export function endTokens(view: StateView, hashes: readonly string[], withChildren = false): TokenEnd {
  const children = childrenByParent(view);
  const ended = new Map<string, Token>();
  const end = (token: Token | undefined) => token && ended.set(token.id, token);
  for (const hash of hashes) end(view.get('token', hash));
  // The map grows during the iteration, which visits added entries too.
  for (const id of ended.keys())
    for (const child of children.get(id) ?? []) if (withChildren || child.use === 'session') end(child);
  const heirOf = (id: string | undefined): string | undefined => {
    let heir = id;
    while (heir !== undefined && ended.has(heir)) heir = ended.get(heir)?.parentId;
    return heir;
  };
  const records: RecordChange[] = [];
  const events: EventDraft[] = [];
  for (const { id, hash, userId } of ended.values()) {
    records.push(record('token', hash, null));
    events.push({ type: 'token.revoked', roomId: null, audience: userId, tokenId: id });
    for (const child of children.get(id) ?? []) {
      if (!ended.has(child.id)) records.push(record('token', child.hash, handOver(child, 'parentId', heirOf(id))));
    }
  }
  for (const hook of view.each('hook')) {
    if (hook.tokenId === undefined || !ended.has(hook.tokenId)) continue;
    if (!withChildren) records.push(record('hook', hook.id, handOver(hook, 'tokenId', heirOf(hook.tokenId))));
    else {
      records.push(...hookRemoval(hook));
      events.push({ type: 'hook.deleted', roomId: hook.roomId, hook });
    }
  }
  for (const invite of view.each('invite')) {
    const { code, tokenId } = invite;
    if (tokenId === undefined || !ended.has(tokenId)) continue;
    records.push(record('invite', code, withChildren ? null : handOver(invite, 'tokenId', heirOf(tokenId))));
  }
  return { events, records };
}

function handOver<T extends object, K extends keyof T>(made: T, field: K, heir: T[K] | undefined): T {
  const { [field]: _, ...rest } = made;
  return (heir === undefined ? rest : { ...rest, [field]: heir }) as T;
}

function childrenByParent(view: StateView): ReadonlyMap<string, readonly Token[]> {
  const children = new Map<string, Token[]>();
  for (const token of view.each('token')) {
    if (token.parentId === undefined) continue;
    const siblings = children.get(token.parentId);
    if (siblings) siblings.push(token);
    else children.set(token.parentId, [token]);
  }
  return children;
}
