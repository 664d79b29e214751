import type { EventType } from '../domain/event.ts';
import type { UserRef } from '../domain/user/user.ts';
import type { EphemeralEvent } from '../feed/live.ts';
import { printInstant } from './instant.ts';

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
} as const satisfies Readonly<Record<EphemeralEvent['type'], true>>;

/** All that a stream can be asked for. */
export const STREAM_TYPES: ReadonlySet<string> = new Set([...Object.keys(DURABLE), ...Object.keys(EPHEMERAL)]);

/** A place in the log, as streams name it: opaque to clients. */
export const printCursor = (epoch: string, pos: number): string => `${epoch}-${pos}`;

export interface Hello {
  readonly epoch: string;
  readonly pos: number;
  readonly firstPos: number;
  readonly heartbeatMs: number;
  readonly node: string;
}

export const printHello = ({ epoch, pos, firstPos, heartbeatMs, node }: Hello): string =>
  JSON.stringify({ epoch, pos, firstPos, heartbeatMs, node });

/** Why what lies between a cursor and now cannot be told: another log, one that is shorter, or one that has forgotten. */
export type ResetReason = 'epoch' | 'ahead' | 'expired';

export const printReset = (reason: ResetReason, pos: number): string => JSON.stringify({ reason, pos });

/** A message that is being written, as far as it is: `offset` is the length of its text, in UTF-16 units. */
export function printSnapshot(
  roomId: string,
  { messageId, runId, text }: { readonly messageId: string; readonly runId: string; readonly text: string },
): string {
  return JSON.stringify({ roomId, messageId, runId, offset: text.length, text });
}

/** Over when the time has come, or when a message of that user has. */
export function printTyping(roomId: string, { id, name, kind }: UserRef, expiresAt: number): string {
  return JSON.stringify({ roomId, user: { id, name, kind }, expiresAt: printInstant(expiresAt) });
}

export interface OnlineUser {
  readonly userId: string;
  /** Since when; epoch milliseconds. */
  readonly since: number;
}

const wireOnline = ({ userId, since }: OnlineUser): object => ({ userId, since: printInstant(since) });

/** Who has come and who has gone since the last such event of the room. */
export function printPresence(roomId: string, online: readonly OnlineUser[], offline: readonly string[]): string {
  return JSON.stringify({ roomId, online: online.map(wireOnline), offline });
}

/** Everybody who is there now. */
export const printOnline = (online: readonly OnlineUser[]): string =>
  JSON.stringify({ online: online.map(wireOnline) });

export interface TicketAnswer {
  readonly ticket: string;
  readonly expiresAt: number;
}

export const printTicket = ({ ticket, expiresAt }: TicketAnswer): string =>
  JSON.stringify({ ticket, expiresAt: printInstant(expiresAt) });
