import type { LiveCard } from './card/live-card.ts';
import type { Reminder } from './command/reminder.ts';
import type { Provider, Secret } from './copilot/copilot.ts';
import type { Hook, HookProgress } from './hook/hook.ts';
import type { Invite } from './member/invite.ts';
import type { Ban, Member } from './member/member.ts';
import type { Duty, Room } from './room/room.ts';
import type { Token } from './token/token.ts';
import type { User } from './user/user.ts';

/** A stored answer for a repeated request. */
export interface IdempotentAnswer {
  /** SHA-256 of method, path and body, in hex. */
  readonly requestHash: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expiresAt: number;
}

/** A copilot's use of its limits. */
export interface QuotaUse {
  /** The start of the counted hour or day. */
  readonly since: number;
  readonly used: number;
}

/**
 * All state that is held in memory, by kind and key: everything but messages, events, runs and files. Keys: room, user,
 * provider, hook: its id or name. member, ban: `memberKey`. token: its hash. slug, direct (the sorted user ids joined
 * by `,`): itself. secret: see Secret. progress: the hook's id. quota: `<what>/<whose>`. answer: `<token or
 * user>/<Idempotency-Key>`. setting: a name. card: the id of its message. duty: the room's id. reminder: its id.
 * cancellation: the id of a run on another node.
 */
export interface Records {
  room: Room;
  slug: { readonly roomId: string };
  direct: { readonly roomId: string };
  member: Member;
  ban: Ban;
  user: User;
  token: Token;
  invite: Invite;
  hook: Hook;
  progress: HookProgress;
  provider: Provider;
  secret: Secret;
  quota: QuotaUse;
  answer: IdempotentAnswer;
  setting: { readonly value: string };
  card: LiveCard;
  duty: Duty;
  reminder: Reminder;
  cancellation: { readonly requestedAt: number };
}
export type RecordKind = keyof Records;

/** A record to set or to remove (`null`). */
export type RecordChange = {
  [K in RecordKind]: { readonly kind: K; readonly key: string; readonly value: Records[K] | null };
}[RecordKind];

export function record<K extends RecordKind>(kind: K, key: string, value: Records[K] | null): RecordChange {
  return { kind, key, value } as RecordChange;
}
