import { encodeText } from '../../../kernel/postgres/text.ts';
import { printMessageEvent } from '../../contract/event.ts';
import { printMessage } from '../../contract/message-json.ts';
import type { Fence } from '../../domain/change.ts';
import type { Committed, EventDraft, MessageDraft, RoomEvent } from '../../domain/event.ts';
import type { Message, NewMessage } from '../../domain/message/message.ts';
import { typeCode } from '../event-types.ts';
import type { PreparedEvent, PreparedWrite } from '../store.ts';
import { searchVector } from './search/vector.ts';

/** The user of an `@all` mention; no user's id begins like that. */
export const EVERYBODY = '@all';

/** Stands for a sequence number that the database gives; only the first two occurrences are those of a message. */
const SEQ = `"seq":${Number.MAX_SAFE_INTEGER}`;
const KEY = '"seq":';
/** Stands for that number in the arguments; JSON escapes this character, so that no message contains it. */
const NUMBER = '\u0001';

/** The columns of events, in the order of append_to_rooms. */
const COLUMNS = [
  ...['type', 'room', 'seq', 'back', 'audience', 'text', 'draft', 'id', 'author', 'kind', 'thread', 'hidden', 'hash'],
  ...['created_at', 'words'],
];

/** A new message's event, around its two sequence numbers. */
interface Parts {
  readonly text: string;
  readonly middle: string;
  readonly rest: string;
}

type Row = Record<string, unknown>;

type MessageEventDraft = Exclude<Extract<EventDraft, { message: Message }>, MessageDraft>;

/** A new message of the batch: the n-th of its room. */
interface NewPlace {
  readonly room: string;
  readonly nth: number;
}

interface PlacedParts {
  readonly place: NewPlace;
  readonly parts: Parts;
}

/** Where a batch was written. */
export interface Written {
  /** Before its first event. */
  readonly pos: number;
  /** The last sequence numbers of the rooms with new messages. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** The arguments of append_to_rooms for some writes. */
export class AppendBatch {
  /** Whether it does more than add messages. */
  hasChanges = false;
  readonly #writes: readonly PreparedWrite[];
  readonly #events: Row[] = [];
  readonly #news: PlacedParts[] = [];
  /** Rows of new messages, which get `back` at the end. */
  readonly #unplaced: { readonly place: NewPlace; readonly row: Row }[] = [];
  readonly #rooms = new Map<string, { id: string; count: number; at: number }>();
  /** By what they replace: of several changes the last one counts. */
  readonly #last: Record<'messages' | 'unreferred' | 'reactions' | 'records' | 'runs', Map<string, Row>> = {
    messages: new Map(),
    unreferred: new Map(),
    reactions: new Map(),
    records: new Map(),
    runs: new Map(),
  };
  readonly #lists: Record<'mentions' | 'fileUses' | 'edits' | 'scrubbed' | 'files' | 'audit', unknown[]> = {
    mentions: [],
    fileUses: [],
    edits: [],
    scrubbed: [],
    files: [],
    audit: [],
  };

  constructor(writes: readonly PreparedWrite[]) {
    this.#writes = writes;
    for (const write of writes) {
      for (const event of write.events) this.#addEvent(event);
      this.#addParts(write);
    }
    for (const { place, row } of this.#unplaced) row.back = this.#backOf(place);
  }

  /** The arguments from `p_rooms` on. */
  values(fences: readonly Fence[]): readonly unknown[] {
    const rooms = [...this.#rooms.values()];
    return [
      ...[rooms.map(({ id }) => id), rooms.map(({ count }) => count), rooms.map(({ at }) => at)],
      this.#rest(fences),
      ...COLUMNS.map((name) => this.#column(name)),
    ];
  }

  #rest(fences: readonly Fence[]): string | null {
    const last = Object.entries(this.#last).map(([name, rows]) => [name, [...rows.values()]] as const);
    const lists = [...Object.entries(this.#lists), ...last, ['fences', fences] as const];
    const filled = lists.filter(([, list]) => list.length > 0);
    return filled.length === 0 ? null : JSON.stringify(Object.fromEntries(filled));
  }

  #column(name: string): readonly unknown[] | null {
    const values = this.#events.map((row) => row[name] ?? null);
    return name !== 'type' && values.every((value) => value === null) ? null : values;
  }

  /** The events with their places, by write. */
  committed({ pos, numbers }: Written): readonly (readonly Committed[])[] {
    const news = this.#news.values();
    let next = pos;
    const place = ({ draft, body }: PreparedEvent): Committed => {
      next++;
      if (draft.type !== 'message.created') return { pos: next, event: draft, data: `{"pos":${next},${body}` };
      const made = news.next().value as PlacedParts;
      const seq = (numbers[made.place.room] ?? 0) - this.#backOf(made.place);
      const { text, middle, rest } = made.parts;
      return { pos: next, event: placed(draft, seq), data: `{"pos":${next},${text}${seq}${middle}${seq}${rest}` };
    };
    return this.#writes.map(({ events }) => events.map(place));
  }

  /** The distance from the last new message of its room. */
  #backOf({ room, nth }: NewPlace): number {
    return (this.#rooms.get(room)?.count ?? nth) - nth;
  }

  #addEvent({ draft, body }: PreparedEvent): void {
    const { type, roomId, audience } = draft;
    const row: Row = { type: typeCode(type), room: roomId === null ? null : encodeText(roomId) };
    if (audience !== undefined) row.audience = encodeText(audience);
    this.#events.push(row);
    if (draft.type === 'message.created') {
      this.#createMessage(row, draft);
      return;
    }
    this.hasChanges = true;
    row.text = body;
    if (!('message' in draft)) {
      row.draft = JSON.stringify(draft);
      return;
    }
    row.seq = draft.message.seq;
    this.#changeMessage(draft);
  }

  #createMessage(row: Row, { message, contentHash }: MessageDraft): void {
    const { id, author, type, threadId, createdAt, silent, deleted } = message;
    const room = encodeText(message.roomId);
    const nth = (this.#rooms.get(room)?.count ?? 0) + 1;
    this.#rooms.set(room, { id: room, count: nth, at: createdAt });
    const place = { room, nth };
    const parts = partsOf(message);
    this.#news.push({ place, parts });
    this.#unplaced.push({ place, row });
    Object.assign(row, {
      text: parts.text + NUMBER + parts.middle + NUMBER + parts.rest,
      id: encodeText(id),
      author: encodeText(author.id),
      kind: type,
      thread: threadId === null ? null : encodeText(threadId),
      hidden: silent || deleted,
      hash: contentHash,
      created_at: createdAt,
      words: searchVector(message),
    });
    this.#refer(message, () => {
      const referring = { room };
      this.#unplaced.push({ place, row: referring });
      return referring;
    });
  }

  #changeMessage(draft: MessageEventDraft): void {
    const { type, message } = draft;
    const n = this.#events.length;
    const place = { room: encodeText(message.roomId), seq: message.seq };
    const key = JSON.stringify(place);
    const { messages, reactions } = this.#last;
    const earlier = messages.get(key)?.words ?? null;
    const words = type === 'message.updated' || type === 'alert.updated' ? searchVector(message) : earlier;
    const hidden = message.silent || message.deleted;
    messages.set(key, { ...place, n, hidden, deleted: message.deleted, words });
    if (type === 'reaction.added' || type === 'reaction.removed') {
      const who = { emoji: encodeText(draft.emoji), user_id: encodeText(draft.userId) };
      reactions.set(`${key}${JSON.stringify(who)}`, { ...place, ...who, added: type === 'reaction.added' });
    } else if (type === 'message.deleted') {
      this.#forgetReferences(place, key);
      this.#lists.scrubbed.push({ ...place, n, json: `${printMessage(message)}}` });
    } else if (type === 'message.updated' || type === 'alert.updated') {
      this.#forgetReferences(place, key);
      this.#refer(message, () => ({ ...place }));
    }
  }

  /** Also those of the same batch. */
  #forgetReferences(place: { readonly room: string; readonly seq: number }, key: string): void {
    this.#last.unreferred.set(key, place);
    const isOther = (row: unknown) =>
      (row as typeof place).room !== place.room || (row as typeof place).seq !== place.seq;
    for (const name of ['mentions', 'fileUses'] as const) this.#lists[name] = this.#lists[name].filter(isOther);
  }

  #refer({ mentions, attachments }: NewMessage, row: () => Row): void {
    const users = mentions.room ? [...mentions.users, EVERYBODY] : mentions.users;
    for (const user of users) this.#lists.mentions.push(Object.assign(row(), { user_id: encodeText(user) }));
    for (const { id } of attachments) this.#lists.fileUses.push(Object.assign(row(), { file: encodeText(id) }));
  }

  #addParts({ records = [], edits = [], runs = [], files = [], audit = [] }: PreparedWrite): void {
    this.hasChanges ||= records.length > 0 || edits.length > 0 || runs.length > 0;
    for (const { kind, key, value } of records) {
      const row = { kind, key: encodeText(key), data: value === null ? null : JSON.stringify(value) };
      this.#last.records.set(`${kind} ${key}`, row);
    }
    for (const edit of edits) {
      const { messageId, version } = edit;
      this.#lists.edits.push({ message: encodeText(messageId), version, data: JSON.stringify(edit) });
    }
    for (const run of runs) {
      const ended = run.state !== 'queued' && run.state !== 'running';
      const row = { id: encodeText(run.id), room: encodeText(run.roomId), ended, data: JSON.stringify(run) };
      this.#last.runs.set(run.id, row);
    }
    for (const file of files) {
      const { id, sha256, createdAt } = file;
      this.#lists.files.push({ id: encodeText(id), sha256, created_at: createdAt, data: JSON.stringify(file) });
    }
    for (const entry of audit) this.#lists.audit.push(JSON.stringify(entry));
  }
}

function partsOf(message: NewMessage): Parts {
  const seq = Number.MAX_SAFE_INTEGER;
  const { roomId } = message;
  const printed = printMessageEvent({ type: 'message.created', roomId, message: { ...message, seq } });
  const first = printed.indexOf(SEQ) + KEY.length;
  const second = printed.indexOf(SEQ, first) + KEY.length;
  const length = SEQ.length - KEY.length;
  return {
    text: printed.slice(0, first),
    middle: printed.slice(first + length, second),
    rest: printed.slice(second + length),
  };
}

function placed({ type, roomId, message, audience }: MessageDraft, seq: number): RoomEvent {
  const event = { type, roomId, message: { ...message, seq } };
  return audience === undefined ? event : { ...event, audience };
}
