// Rooms, copilots and messages as plain values, for tests of decisions.
import type { StateView } from '../../domain/change.ts';
import type { CopilotSettings } from '../../domain/copilot/copilot.ts';
import { usualCopilot } from '../../domain/copilot/settings.ts';
import { memberKey, newMember, type Role } from '../../domain/member/member.ts';
import type { Message } from '../../domain/message/message.ts';
import type { RecordKind, Records } from '../../domain/record.ts';
import { EMPTY_HEAD, type Room } from '../../domain/room/room.ts';
import { newMessage } from '../store/parts.ts';

export const ROOM_ID = '01900000-0000-7000-8000-000000000001';

export const copilotOf = (settings: Partial<CopilotSettings> = {}): CopilotSettings => ({
  ...usualCopilot(),
  provider: 'echo',
  version: 1,
  ...settings,
});

export function roomOf(given: Partial<Room> = {}): Room {
  return {
    id: ROOM_ID,
    slug: 'ops',
    name: 'Ops',
    topic: '',
    description: '',
    visibility: 'public',
    readOnly: false,
    archived: false,
    historyVisibility: 'all',
    labels: {},
    retention: { days: null, maxMessages: null },
    slowModeSeconds: 0,
    pinned: [],
    copilot: copilotOf(),
    createdBy: 'ana',
    createdAt: 0,
    updatedAt: 0,
    version: 1,
    deletedAt: null,
    ...given,
  };
}

/** By ana unless given otherwise; its sequence number is in its id too. */
export function messageOf(seq: number, body: string, given: Partial<Message> = {}): Message {
  return { ...newMessage(ROOM_ID), id: `message-${seq}`, seq, body, createdAt: 0, updatedAt: 0, ...given };
}

/** A state with one room and its members. */
export function viewOf(room: Room, roles: Readonly<Record<string, Role>> = { ana: 'member' }): StateView {
  const records = new Map<string, unknown>([[`room ${room.id}`, room]]);
  for (const [userId, role] of Object.entries(roles))
    records.set(`member ${memberKey(room.id, userId)}`, newMember({ roomId: room.id, lastSeq: 0 }, userId, role, 0));
  return {
    get: <K extends RecordKind>(kind: K, key: string) => records.get(`${kind} ${key}`) as Records[K] | undefined,
    each: () => [],
    membersOf: () => [],
    memberCount: () => 0,
    firingAlerts: () => 0,
    roomIdsOf: () => [],
    head: () => EMPTY_HEAD,
  };
}
