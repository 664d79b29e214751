import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import {
  type ExportHeader,
  printEnd,
  printFileLine,
  printHeader,
  printMemberLine,
  printMessageLine,
  printPieceLine,
  printRoomLine,
} from '../contract/export/export.ts';
import { type ExportPage, htmlPage, markdownPage } from '../contract/export/page.ts';
import type { ExportFormat } from '../contract/export/query.ts';
import type { RoomAccess } from '../domain/access.ts';
import type { Committed } from '../domain/event.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import type { Room } from '../domain/room/room.ts';
import { makeUser } from '../domain/user/new-user.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { FileStore } from '../files/file-store.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';

/** The number of messages in memory at a time. */
const PART = 200;
/** Rounds of changes at the end, so that an export ends while messages keep changing. */
const MAX_ROUNDS = 20;

export interface RoomExportsParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly files: Pick<FileStore, 'read'>;
  readonly writer: Pick<RoomWriter, 'pos'>;
  readonly clock: Clock;
  readonly feed: Pick<RoomFeed, 'epoch'>;
}

export interface ExportFilter {
  readonly format: ExportFormat;
  /** Whether the bytes of attachments are in it; only as `jsonl`. */
  readonly files: boolean;
  /** Created in `[from, to)`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** An export in progress, and the already written messages that have changed since. */
interface Running {
  readonly roomId: string;
  writtenSeq: number;
  changed: Set<string>;
}

/**
 * Writes rooms as they are at one position of the log: messages that change meanwhile are written once more at the end.
 */
export class RoomExports {
  readonly #parts: RoomExportsParts;
  readonly #running = new Set<Running>();

  constructor(parts: RoomExportsParts) {
    this.#parts = parts;
  }

  /** A listener to commits. */
  readonly follow = (committed: readonly Committed[]): void => {
    if (this.#running.size === 0) return;
    for (const { event } of committed) {
      if (!('message' in event) || event.type === 'message.created') continue;
      for (const running of this.#running) {
        if (running.roomId === event.roomId && event.message.seq <= running.writtenSeq)
          running.changed.add(event.message.id);
      }
    }
  };

  /** The export, piece by piece; the next is read on demand. */
  async *write(
    { room, afterSeq }: Pick<RoomAccess, 'room' | 'afterSeq'>,
    filter: ExportFilter,
  ): AsyncGenerator<string> {
    const { state, clock, feed, writer } = this.#parts;
    const running: Running = { roomId: room.id, writtenSeq: 0, changed: new Set() };
    this.#running.add(running);
    try {
      const { lastSeq } = state.head(room.id);
      const form = filter.format === 'jsonl' ? new LineForm() : new PageForm(filter.format);
      const files = filter.files && form instanceof LineForm ? new FileLines(this.#parts.files, form) : undefined;
      const header = { epoch: feed.epoch, pos: writer.pos, exportedAt: clock.now(), withFiles: files !== undefined };
      yield form.begin(room, header, state);
      for await (const messages of this.#pages(running, lastSeq, afterSeq)) {
        const wanted = messages.filter(isWanted(filter));
        if (files) yield* files.of(wanted);
        if (wanted.length > 0) yield form.messages(wanted);
      }
      for await (const messages of this.#changes(running)) {
        const wanted = messages.filter(isWanted(filter));
        if (files) yield* files.of(wanted);
        if (wanted.length > 0) yield form.changes(wanted);
      }
      yield form.end(writer.pos);
    } finally {
      this.#running.delete(running);
    }
  }

  async *#pages(running: Running, lastSeq: number, afterSeq: number): AsyncGenerator<readonly StoredMessage[]> {
    const { store } = this.#parts;
    const { roomId } = running;
    let after = afterSeq;
    while (after < lastSeq) {
      // Set before the read: a change committed meanwhile may or may not be in it.
      running.writtenSeq = Math.max(running.writtenSeq, after + PART);
      const { messages } = await store.page({ roomId, after, limit: PART, afterSeq });
      const last = messages.at(-1);
      if (!last) return;
      running.writtenSeq = Math.max(running.writtenSeq, last.message.seq);
      after = last.message.seq;
      yield messages.filter(({ message }) => message.seq <= lastSeq);
    }
  }

  async *#changes(running: Running): AsyncGenerator<readonly StoredMessage[]> {
    for (let round = 0; running.changed.size > 0 && round < MAX_ROUNDS; round++) {
      const ids = [...running.changed];
      running.changed = new Set();
      for (let from = 0; from < ids.length; from += PART) {
        const found = await this.#parts.store.messages(ids.slice(from, from + PART));
        yield [...found].sort((a, b) => a.message.seq - b.message.seq);
      }
    }
  }
}

function isWanted({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: ExportFilter) {
  return ({ message }: StoredMessage) => message.createdAt >= from && message.createdAt < to;
}

/** JSON lines with a checksum. */
class LineForm {
  readonly #hash = createHash('sha256');
  #count = 0;

  begin(room: Room, header: ExportHeader, state: RoomState): string {
    const members = [...state.membersOf(room.id)].map((member) =>
      printMemberLine(member, state.get('user', member.userId) ?? makeUser(member.userId, member.joinedAt)),
    );
    const bans = [...state.all('ban').values()].filter(({ roomId }) => roomId === room.id);
    const roomLine = printRoomLine(room, { head: state.head(room.id), memberCount: members.length }, bans);
    return this.counted([printHeader(header), roomLine, ...members].join(''));
  }

  messages(messages: readonly StoredMessage[]): string {
    this.#count += messages.length;
    return this.counted(messages.map(({ json }) => printMessageLine(json)).join(''));
  }

  changes(messages: readonly StoredMessage[]): string {
    return this.counted(messages.map(({ json }) => printMessageLine(json)).join(''));
  }

  end(pos: number): string {
    return printEnd({ pos, messages: this.#count, sha256: this.#hash.digest('hex') });
  }

  /** Any other lines. */
  counted(text: string): string {
    this.#hash.update(text);
    return text;
  }
}

/** The bytes of attachments, each file once. */
class FileLines {
  readonly #files: Pick<FileStore, 'read'>;
  readonly #form: LineForm;
  readonly #written = new Set<string>();

  constructor(files: Pick<FileStore, 'read'>, form: LineForm) {
    this.#files = files;
    this.#form = form;
  }

  /** A file whose bytes are gone is left out. */
  async *of(messages: readonly StoredMessage[]): AsyncGenerator<string> {
    for (const file of messages.flatMap(({ message }) => message.attachments)) {
      if (this.#written.has(file.id)) continue;
      this.#written.add(file.id);
      const bytes = await this.#files.read(file);
      if (!bytes) continue;
      yield this.#form.counted(printFileLine(file));
      for await (const piece of bytes) yield this.#form.counted(printPieceLine(piece as Buffer));
    }
  }
}

/** Markdown or HTML. */
class PageForm {
  readonly #page: ExportPage;
  #hasChanges = false;

  constructor(format: 'markdown' | 'html') {
    this.#page = format === 'html' ? htmlPage : markdownPage;
  }

  begin(room: Room, { exportedAt }: ExportHeader): string {
    return this.#page.begin(room, exportedAt);
  }

  messages(messages: readonly StoredMessage[]): string {
    return messages.map(({ message }) => this.#page.message(message)).join('');
  }

  changes(messages: readonly StoredMessage[]): string {
    const title = this.#hasChanges ? '' : this.#page.changed();
    this.#hasChanges = true;
    return title + this.messages(messages);
  }

  end(): string {
    return this.#page.end();
  }
}
