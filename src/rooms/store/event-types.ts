import type { EventType } from '../domain/event.ts';

/** The numbers of event types in commits and tables: permanent indexes, so new types are added at the end. */
const EVENT_TYPES = [
  'room.created',
  'message.created',
  'message.updated',
  'message.deleted',
  'alert.updated',
  'reaction.added',
  'reaction.removed',
  'pin.added',
  'pin.removed',
  'read.updated',
  'room.updated',
  'room.archived',
  'room.deleted',
  'member.joined',
  'member.left',
  'member.updated',
  'member.banned',
  'copilot.updated',
  'run.queued',
  'run.started',
  'run.finished',
  'hook.created',
  'hook.updated',
  'hook.deleted',
  'hook.paused',
  'token.revoked',
] as const satisfies readonly EventType[];

const CODES: ReadonlyMap<string, number> = new Map(EVENT_TYPES.map((type, code) => [type, code]));

export const typeCode = (type: EventType): number => CODES.get(type) ?? unknownType(type);

export const typeOfCode = (code: number): EventType => EVENT_TYPES[code] ?? unknownType(code);

export const CREATED = 1;

function unknownType(type: unknown): never {
  throw new Error(`the store knows no event of the type ${type}`);
}
