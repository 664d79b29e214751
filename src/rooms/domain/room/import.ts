import type { Caller } from '../caller.ts';
import { readCard } from '../card/alert-card.ts';
import type { Change, ChangeView } from '../change.ts';
import { hashContent } from '../content-hash.ts';
import { type CopilotServices, decideCopilot } from '../copilot/change.ts';
import type { CopilotRequest } from '../copilot/settings.ts';
import type { EventDraft, MessageDraft } from '../event.ts';
import { type Ban, type Member, memberKey, newMember, type Role } from '../member/member.ts';
import type { Message, Reaction } from '../message/message.ts';
import { hasReservedKind, isAlertCard } from '../message/reserved-message.ts';
import { type RecordChange, record } from '../record.ts';
import { makeUser } from '../user/new-user.ts';
import type { User } from '../user/user.ts';
import { auditOf } from './change.ts';
import { propertiesOf, type Room, type RoomFields } from './room.ts';
import { freeSlug, type SlugContext } from './slug.ts';

/** A room of an export. */
export interface ImportedRoom extends Omit<RoomFields, 'copilot'> {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly copilot?: CopilotRequest | boolean | null | undefined;
  readonly pinned: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly members: readonly ImportedMember[];
  readonly bans: readonly Omit<Ban, 'roomId'>[];
}

export interface ImportedMember {
  readonly role: Role;
  readonly joinedAt: number;
  /** The number of imported messages before the join. */
  readonly joinedSeq: number;
  readonly silencedUntil: number | null;
  readonly user: Pick<User, 'id' | 'name' | 'kind' | 'avatarColor'>;
}

/** `deleted`: it exists as a tombstone, so nothing is imported into it. */
export type RoomImported = 'created' | 'there already' | 'deleted';

/** Imports a room with its members, unless it exists. */
export function importRoom(caller: Caller, imported: ImportedRoom, context: SlugContext): Change<RoomImported> {
  return {
    decide(view) {
      const { id } = imported;
      const existing = view.get('room', id);
      if (existing) {
        const answer = (): RoomImported => (existing.deletedAt === null ? 'there already' : 'deleted');
        return { ok: true, write: null, answer };
      }
      const slug = freeSlug(view, { caller, alertRooms: context.alertRooms }, imported.slug, id);
      const { copilot, records } = copilotOf(view, caller, imported, context);
      const room: Room = {
        id,
        slug,
        name: imported.name,
        ...propertiesOf(imported),
        visibility: imported.visibility ?? 'public',
        pinned: imported.pinned,
        copilot,
        createdBy: imported.createdBy,
        createdAt: imported.createdAt,
        updatedAt: view.now,
        version: 1,
        deletedAt: null,
      };
      const people = peopleOf(view, caller, imported);
      const events: EventDraft[] = [{ type: 'room.created', roomId: id, room }];
      for (const member of people.members) events.push({ type: 'member.joined', roomId: id, member });
      const bans = imported.bans.map((ban) => record('ban', memberKey(id, ban.userId), { roomId: id, ...ban }));
      const all = [
        record('room', id, room),
        record('slug', slug, { roomId: id }),
        ...records,
        ...people.records,
        ...bans,
      ];
      const audit = [auditOf(view, caller, 'room.import', id)];
      return { ok: true, write: { records: all, events, audit }, answer: (): RoomImported => 'created' };
    },
  };
}

/** Without its key, which no export holds. Settings that this server refuses are dropped. */
function copilotOf(view: ChangeView, caller: Caller, { id, copilot }: ImportedRoom, context: CopilotServices) {
  if (typeof copilot !== 'object' || copilot === null) return { copilot: null, records: [] };
  const decided = decideCopilot(view, caller, { id, copilot: null }, { ...copilot, apiKey: undefined }, context);
  return decided.ok ? decided.value : { copilot: null, records: [] };
}

function peopleOf(
  view: ChangeView,
  caller: Caller,
  { id, members, visibility }: ImportedRoom,
): { readonly members: readonly Member[]; readonly records: readonly RecordChange[] } {
  const records: RecordChange[] = [];
  const found = members.map(({ user, role, joinedAt, joinedSeq, silencedUntil }) => {
    if (!view.get('user', user.id)) records.push(record('user', user.id, makeUser(user.id, view.now, user)));
    return { ...newMember({ roomId: id, lastSeq: joinedSeq }, user.id, role, joinedAt), silencedUntil };
  });
  // A room without an owner could never be deleted.
  if (!found.some(({ role }) => role === 'owner')) {
    const others = found.filter(({ userId }) => userId !== caller.user.id);
    found.splice(0, found.length, ...others, newMember({ roomId: id, lastSeq: 0 }, caller.user.id, 'owner', view.now));
  }
  for (const member of found) records.push(record('member', memberKey(id, member.userId), member));
  if (visibility === 'direct') {
    const key = found
      .map(({ userId }) => userId)
      .sort()
      .join(',');
    if (!view.get('direct', key)) records.push(record('direct', key, { roomId: id }));
  }
  return { members: found, records };
}

export interface ImportCounts {
  readonly added: number;
  /** Existing already, or removed by retention. */
  readonly skipped: number;
  /** Attachments dropped: an export names files without their bytes. */
  readonly missingFiles: number;
}

/**
 * Imports messages into a room in their order, with their authors and times, and new sequence numbers. They are silent:
 * they notify nobody, and no copilot answers. `files`: the ids of those files that exist here.
 */
export function importMessages(
  roomId: string,
  messages: readonly Message[],
  files: ReadonlySet<string>,
): Change<ImportCounts> {
  const referred = messages.flatMap(({ id, replyTo, threadId }) => [id, replyTo, threadId]);
  return {
    messages: [...new Set(referred.filter((id) => id !== null))],
    decide(view) {
      const room = view.get('room', roomId);
      if (!room || room.deletedAt !== null)
        return { ok: true, write: null, answer: () => ({ added: 0, skipped: messages.length, missingFiles: 0 }) };
      const events: EventDraft[] = [];
      const here = new Set<string>();
      let seq = view.nextSeq(roomId);
      let missingFiles = 0;
      const exists = (id: string) => here.has(id) || view.message(id)?.message.roomId === roomId;
      for (const message of messages) {
        if (here.has(message.id) || view.message(message.id) || view.isForgotten(message.id)) continue;
        const kept = keep(message, room, exists, files);
        here.add(message.id);
        missingFiles += message.attachments.length - kept.attachments.length;
        events.push(draftOf(kept), ...reactionsOf(kept, message.reactions, seq));
        seq++;
      }
      const counts = { added: here.size, skipped: messages.length - here.size, missingFiles };
      return { ok: true, write: events.length === 0 ? null : { events }, answer: () => counts };
    },
  };
}

function keep(
  message: Message,
  room: Room,
  exists: (id: string) => boolean,
  files: ReadonlySet<string>,
): Omit<Message, 'seq'> {
  const { seq: _, ...rest } = message;
  const isReply = message.threadId !== null && exists(message.threadId);
  return {
    ...rest,
    roomId: room.id,
    replyTo: message.replyTo !== null && exists(message.replyTo) ? message.replyTo : null,
    threadId: isReply ? message.threadId : null,
    attachments: message.attachments.filter(({ id }) => files.has(id)),
    card: isBelievable(message) ? message.card : null,
    reactions: [],
    // A message being written elsewhere is not continued here.
    status: message.status === 'streaming' ? 'failed' : message.status,
    pinned: room.pinned.includes(message.id),
    silent: true,
  };
}

/** Cards of the server's kinds are kept only if the server could have written them; the text stays. */
function isBelievable(message: Message): boolean {
  const { type, card } = message;
  if (!hasReservedKind(card)) return true;
  if (card?.kind === 'alert') return isAlertCard(message) && readCard(card) !== undefined;
  return type === 'command';
}

function draftOf(message: Omit<Message, 'seq'>): MessageDraft {
  const contentHash = hashContent({ ...message, attachments: message.attachments.map(({ id }) => id) });
  return { type: 'message.created', roomId: message.roomId, message, contentHash };
}

/** An export names the first users of each reaction. */
function reactionsOf(message: Omit<Message, 'seq'>, reactions: readonly Reaction[], seq: number): EventDraft[] {
  const events: EventDraft[] = [];
  const before: Reaction[] = [];
  for (const { emoji, userIds } of reactions) {
    const users = [...new Set(userIds)];
    for (const [index, userId] of users.entries()) {
      const held = [...before, { emoji, count: index + 1, userIds: users.slice(0, index + 1) }];
      const reacted: Message = { ...message, seq, reactions: held };
      events.push({ type: 'reaction.added', roomId: message.roomId, emoji, userId, message: reacted });
    }
    if (users.length > 0) before.push({ emoji, count: users.length, userIds: users });
  }
  return events;
}
