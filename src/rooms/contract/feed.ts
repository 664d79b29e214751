import type { EventType } from '../domain/event.ts';
import type { UserRef } from '../domain/user/user.ts';
import type { EphemeralEvent } from '../feed/live.ts';
import type { WireEvents } from './event.ts';
import { type Printed, printInstant } from './instant.ts';
import type { WireDelta, WireNote } from './run.ts';

const DURABLE = {
  'room.created': true,
  'room.updated': true,
  'room.archived': true,
  'room.deleted': true,
  'member.joined': true,
  'member.left': true,
  'member.updated': true,
  'member.banned': true,
  'message.created': true,
  'message.updated': true,
  'message.deleted': true,
  'alert.updated': true,
  'reaction.added': true,
  'reaction.removed': true,
  'pin.added': true,
  'pin.removed': true,
  'read.updated': true,
  'copilot.updated': true,
  'run.queued': true,
  'run.started': true,
  'run.finished': true,
  'hook.created': true,
  'hook.updated': true,
  'hook.deleted': true,
  'hook.paused': true,
  'token.revoked': true,
} as const satisfies Readonly<Record<EventType, true>>;

const EPHEMERAL = {
  typing: true,
  presence: true,
  'message.delta': true,
  'message.snapshot': true,
  note: true,
  storage: true,
} as const satisfies Readonly<Record<EphemeralEvent['type'] | 'storage', true>>;

/** All types that a stream can be asked for. */
export const STREAM_TYPES: ReadonlySet<string> = new Set([...Object.keys(DURABLE), ...Object.keys(EPHEMERAL)]);

/** A place in the log, as streams name it: opaque to clients. */
export const printCursor = (epoch: string, pos: number): string => `${epoch}-${pos}`;

/** The first event of a stream. */
export interface Hello {
  readonly epoch: string;
  readonly pos: number;
  readonly firstPos: number;
  readonly heartbeatMs: number;
  readonly node: string;
}

export const printHello = ({ epoch, pos, firstPos, heartbeatMs, node }: Hello): string =>
  JSON.stringify({ epoch, pos, firstPos, heartbeatMs, node } satisfies Hello);

/** Why the events after a cursor cannot be sent: another log, a shorter log, or one that has forgotten them. */
export type ResetReason = 'epoch' | 'ahead' | 'expired';

export interface WireReset {
  readonly reason: ResetReason;
  readonly pos: number;
}

export const printReset = (reason: ResetReason, pos: number): string =>
  JSON.stringify({ reason, pos } satisfies WireReset);

/** A message that is being written: its text so far, whose length is `offset`. */
export interface WireSnapshot extends WireDelta {
  readonly messageId: string;
}

export function printSnapshot(
  roomId: string,
  { messageId, runId, text }: { readonly messageId: string; readonly runId: string; readonly text: string },
): string {
  return JSON.stringify({ roomId, messageId, runId, offset: text.length, text } satisfies WireSnapshot);
}

/** Ends at `expiresAt`, or with a message of the user. */
export interface WireTyping {
  readonly roomId: string;
  readonly user: UserRef;
  readonly expiresAt: string;
}

export function printTyping(roomId: string, { id, name, kind }: UserRef, expiresAt: number): string {
  return JSON.stringify({ roomId, user: { id, name, kind }, expiresAt: printInstant(expiresAt) } satisfies WireTyping);
}

/**
 * The server's database is away, or up again: meanwhile nothing new comes, and changes are refused. Sent when that changes, and
 * to new streams while it is away.
 */
export interface WireStorage {
  readonly state: 'away' | 'up';
  readonly since: string;
}

export function printStorage(state: WireStorage['state'], since: number): string {
  return JSON.stringify({ state, since: printInstant(since) } satisfies WireStorage);
}

export interface OnlineUser {
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The users online now. */
export interface WireOnline {
  readonly online: readonly Printed<OnlineUser, 'since'>[];
}

/** The users who have come online or gone offline since the last such event of the room. */
export interface WirePresence extends WireOnline {
  readonly roomId: string;
  readonly offline: readonly string[];
}

const wireOnline = ({ userId, since }: OnlineUser) => ({ userId, since: printInstant(since) });

export function printPresence(roomId: string, online: readonly OnlineUser[], offline: readonly string[]): string {
  return JSON.stringify({ roomId, online: online.map(wireOnline), offline } satisfies WirePresence);
}

export const printOnline = (online: readonly OnlineUser[]): string =>
  JSON.stringify({ online: online.map(wireOnline) } satisfies WireOnline);

/** The data of every event of a stream, by its type. */
export interface WireStream extends WireEvents {
  readonly typing: WireTyping;
  readonly presence: WirePresence;
  readonly 'message.delta': WireDelta;
  readonly 'message.snapshot': WireSnapshot;
  readonly note: WireNote;
  readonly storage: WireStorage;
  readonly hello: Hello;
  readonly reset: WireReset;
}

/** An event of a stream, its data read. */
export type WireStreamEvent = {
  readonly [T in keyof WireStream]: { readonly event: T; readonly data: WireStream[T] };
}[keyof WireStream];

/** The answer of `GET /api/event/log`. */
export interface WireLog {
  readonly events: readonly ({ readonly id: string } & WireStreamEvent)[];
  readonly cursor: string;
  readonly epoch: string;
}

export interface TicketAnswer {
  readonly ticket: string;
  readonly expiresAt: number;
}

export const printTicket = ({ ticket, expiresAt }: TicketAnswer): string =>
  JSON.stringify({ ticket, expiresAt: printInstant(expiresAt) } satisfies Printed<TicketAnswer, 'expiresAt'>);
