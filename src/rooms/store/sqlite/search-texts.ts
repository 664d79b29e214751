import { messageJsonOf, readMessage } from '../../contract/message-json.ts';
import type { EventType } from '../../domain/event.ts';
import type { Message } from '../../domain/message/message.ts';
import { CREATED } from '../event-types.ts';
import { indexedText } from './match.ts';
import { listValue, type Rows } from './rows.ts';
import { placeOf } from './schema.ts';

/** Characters waiting in memory; beyond that texts are read from the log again. */
const MAX_CHARS = 4 * 2 ** 20;

/** Indexed in about 20 ms, however few messages they are. */
const BATCH_CHARS = 128 * 2 ** 10;

/** The indexed facts of a message. */
export interface IndexedText {
  /** Of its creation. */
  readonly position: number;
  /** `null`: removed from the index. */
  readonly text: string | null;
}

/** A message of an event. */
export interface SaidEvent {
  readonly pos: number;
  /** The room's number. */
  readonly room: number;
  readonly message: Message;
  /** Whether the event created it. */
  readonly isNew: boolean;
}

interface Waiting extends Pick<IndexedText, 'text'> {
  /** Of the event. */
  readonly pos: number;
  readonly place: number;
  readonly isNew: boolean;
}

/** Committed texts that are not indexed yet: the newest in memory, the others in the log. */
export class TextQueue {
  readonly #rows: Rows;
  #waiting: Waiting[] = [];
  #chars = 0;
  /** All texts after that position are in memory. */
  #logged = 0;
  #pos = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The last position of the log. */
  get pos(): number {
    return this.#pos;
  }

  /** The log has to be read up to that position. */
  skip(pos: number): void {
    this.#waiting = [];
    this.#chars = 0;
    this.#logged = pos;
    this.#pos = pos;
  }

  /** `pos`: the last position of the log then. */
  add(said: readonly SaidEvent[], pos: number): void {
    this.#pos = pos;
    for (const event of said) this.#push(waitingOf(event));
    if (this.#chars > MAX_CHARS) this.skip(pos);
  }

  #push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#chars += waiting.text?.length ?? 0;
  }

  /** About `count` texts after a position, and the position up to which they are complete. */
  async next(after: number, count: number): Promise<{ readonly texts: readonly IndexedText[]; readonly upTo: number }> {
    const { waiting, upTo } = after < this.#logged ? await this.#readLog(after, count) : this.#take(count);
    return { texts: await this.#place(waiting), upTo };
  }

  #take(count: number): { readonly waiting: readonly Waiting[]; readonly upTo: number } {
    const waiting = this.#waiting.splice(0, countOf(this.#waiting, count));
    for (const { text } of waiting) this.#chars -= text?.length ?? 0;
    return { waiting, upTo: this.#waiting.length === 0 ? this.#pos : (waiting.at(-1)?.pos ?? this.#pos) };
  }

  async #readLog(after: number, count: number) {
    const end = this.#logged;
    const found = await this.#rows.query(
      'SELECT pos, type, room, data FROM event WHERE pos > ? AND pos <= ? AND type BETWEEN 1 AND 4 ORDER BY pos LIMIT ?',
      [after, end, count],
    );
    const all = found.map(({ pos, type, room, data }) =>
      waitingOf({
        pos: Number(pos),
        room: Number(room),
        message: readMessage(messageJsonOf(String(data))),
        isNew: type === CREATED,
      }),
    );
    const waiting = all.slice(0, countOf(all, count));
    const isAll = found.length < count && waiting.length === all.length;
    return { waiting, upTo: isAll ? end : (waiting.at(-1)?.pos ?? end) };
  }

  /** An edited message keeps its place. A removed one has no text. */
  async #place(waiting: readonly Waiting[]): Promise<readonly IndexedText[]> {
    const changed = waiting.flatMap(({ isNew, place }) => (isNew ? [] : [place]));
    const sql = 'SELECT place, first FROM message WHERE place IN (SELECT value FROM json_each(?))';
    const rows = changed.length === 0 ? [] : await this.#rows.query(sql, [listValue(changed)]);
    const firsts = new Map(rows.map(({ place, first }) => [Number(place), Number(first)]));
    return waiting.flatMap(({ pos, place, text, isNew }) => {
      const position = isNew ? pos : firsts.get(place);
      return position === undefined ? [] : [{ position, text }];
    });
  }
}

/** The number of texts in a batch, at least one. */
function countOf(waiting: readonly Waiting[], most: number): number {
  let chars = 0;
  for (let index = 0; index < most; index++) {
    const next = waiting[index];
    if (!next) return index;
    chars += next.text?.length ?? 0;
    if (chars > BATCH_CHARS) return Math.max(1, index);
  }
  return most;
}

/** Whether an event changes the indexed facts of its message. */
export const isIndexed = (type: EventType): boolean => type.startsWith('message.') || type === 'alert.updated';

function waitingOf({ pos, room, message, isNew }: SaidEvent): Waiting {
  const text = message.deleted ? null : indexedText(message, room);
  return { pos, place: placeOf(room, message.seq), text, isNew };
}
