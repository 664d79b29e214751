import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { compileUnanchored, type Pattern } from '../../../kernel/regexp/regexp.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireMessage } from '../../contract/message.ts';
import type { WireRoom } from '../../contract/room.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { readCursorFile, writeCursorFile } from '../cursor-file.ts';
import { type Followed, Follower, pauseAfter, readLog } from '../follower.ts';
import { pause } from '../pause.ts';
import { isPassing } from '../persistence.ts';
import { SequenceWatch } from '../sequence-watch.ts';
import { enc, pageSchema, roomSchema } from '../wire.ts';
import { type Shown, TailPrinter } from './tail-printer.ts';

export interface TailOptions extends ConnectionOptions {
  /** The number of earlier messages of each room. */
  readonly lines: number;
  readonly since?: string;
  readonly follow?: boolean;
  readonly grep?: string;
  readonly alerts?: boolean;
  readonly bell?: boolean;
  readonly cursorFile?: string;
}

const PAGE = 200;

/** `rooms tail`: prints messages; with `--follow` until `stopped`. */
export async function tail(
  names: readonly string[],
  options: TailOptions,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<void> {
  const pattern = options.grep === undefined ? undefined : readPattern(options.grep);
  if (options.since !== undefined && !/^(0|[a-z0-9]{1,16}-\d{1,15})$/.test(options.since))
    throw new CommandError('--since: write a cursor as --json or --cursor-file shows it, or 0 for all', ExitCode.usage);
  await withClient(options, terminal, async (client) => {
    const rooms = new Map<string, WireRoom>();
    for (const name of names) {
      const room = await client.get(`/api/room/${enc(name)}`, roomSchema);
      rooms.set(room.id, room);
    }
    await new Tail(client, [...rooms.values()], { ...options, pattern }, terminal).run(stopped);
  });
}

function readPattern(source: string): Pattern {
  const compiled = compileUnanchored(source);
  if (compiled.ok) return compiled.pattern;
  throw new CommandError(`--grep: ${compiled.reason}`, ExitCode.usage);
}

class Tail {
  readonly #client: RoomsClient;
  readonly #rooms: readonly WireRoom[];
  readonly #options: TailOptions & { readonly pattern: Pattern | undefined };
  readonly #terminal: Terminal;
  readonly #printer: TailPrinter;
  readonly #watch = new SequenceWatch();
  /** Of the messages printed from pages. */
  readonly #versions = new Map<string, number>();
  #cursor = '';
  #isLive = false;

  constructor(
    client: RoomsClient,
    rooms: readonly WireRoom[],
    options: TailOptions & { readonly pattern: Pattern | undefined },
    terminal: Terminal,
  ) {
    this.#client = client;
    this.#rooms = rooms;
    this.#options = options;
    this.#terminal = terminal;
    this.#printer = new TailPrinter(terminal, rooms, options.json ?? false);
  }

  async run(stopped: Promise<void>): Promise<void> {
    const { since, cursorFile, follow } = this.#options;
    const place = since === undefined && cursorFile !== undefined ? readCursorFile(cursorFile) : undefined;
    for (const [room, seq] of place?.seqs ?? []) this.#watch.last.set(room, seq);
    const cursor = since ?? place?.cursor;
    if (cursor === undefined) await this.#printHistory();
    else this.#cursor = cursor;
    const over = new AbortController();
    void stopped.then(() => over.abort());
    await this.#patiently(() => this.#drain(), over.signal);
    await this.#save();
    if (follow) await this.#follow(over.signal);
  }

  /** While following, waits for an unreachable server; `action` continues where it was cut. */
  async #patiently(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        return await action();
      } catch (error) {
        if (!this.#options.follow || !isPassing(error)) throw error;
        if (tries === 0) this.#printer.lost(error.message);
        await pause(this.#client.clock, pauseAfter(tries), signal);
      }
    }
  }

  /** Prints the last messages; the cursor is taken before they are read. */
  async #printHistory(): Promise<void> {
    const found: { readonly at: number; readonly message: WireMessage }[] = [];
    for (const { id } of this.#rooms) {
      let at = 0;
      for (const message of await this.#lastOf(id)) {
        // Within a room ordered by number, since the server's clock may have gone back.
        at = Math.max(at, Date.parse(message.createdAt));
        found.push({ at, message });
      }
    }
    found.sort((a, b) => a.at - b.at);
    for (const { message } of found) {
      this.#versions.set(message.id, message.version);
      this.#show({ event: 'message.created', cursor: this.#cursor, message, data: dataOf(message) });
    }
  }

  async #lastOf(room: string): Promise<readonly WireMessage[]> {
    const { lines } = this.#options;
    const found: WireMessage[] = [];
    let before = '';
    for (;;) {
      const limit = Math.max(1, Math.min(PAGE, lines - found.length));
      const page = await this.#client.get(`/api/room/${enc(room)}/message?limit=${limit}${before}`, pageSchema);
      if (this.#cursor === '') this.#cursor = page.cursor;
      if (before === '') this.#watch.know(room, page.messages.at(-1)?.seq ?? 0);
      found.unshift(...page.messages);
      const [first] = page.messages;
      if (!page.hasBefore || !first || found.length >= lines) return lines === 0 ? [] : found;
      before = `&before=${first.seq}`;
    }
  }

  /** Prints everything up to now. */
  async #drain(): Promise<void> {
    const log = readLog(this.#client, { rooms: this.#names(), cursor: this.#cursor });
    for (;;) {
      const { done, value } = await log.next();
      if (done) {
        this.#cursor = value;
        return;
      }
      await this.#take(value);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { json, pattern } = this.#options;
    this.#isLive = true;
    const follower = new Follower(this.#client, {
      rooms: this.#names(),
      cursor: this.#cursor,
      ephemeral: !json && !pattern,
      signal,
    });
    for await (const followed of follower.events()) await this.#patiently(() => this.#take(followed), signal);
    this.#printer.end();
  }

  async #take(followed: Followed): Promise<void> {
    switch (followed.kind) {
      case 'passing':
        this.#printer.passing(followed.event, followed.data);
        return;
      case 'open':
        return this.#printer.back();
      case 'lost':
        return this.#printer.lost(followed.why);
      case 'reset':
        await this.#reset(followed.reason, followed.cursor);
        break;
      case 'message':
        this.#takeMessage(followed);
        break;
      case 'event':
        if (!this.#options.pattern && !this.#options.alerts) this.#printer.event(followed);
        break;
    }
    this.#cursor = followed.cursor;
    await this.#save();
  }

  #takeMessage(shown: Shown): void {
    const { event, message } = shown;
    const { roomId, seq, id, version } = message;
    if (event === 'message.created') {
      if (this.#watch.isKnown(roomId, seq)) return;
      const fault = this.#watch.take(roomId, seq);
      if (fault) this.#printer.fault(roomId, fault);
    } else if (version <= (this.#versions.get(id) ?? 0)) return;
    this.#show(shown);
  }

  #show(shown: Shown): void {
    const { alerts, pattern, bell } = this.#options;
    const { message, event } = shown;
    if (alerts && message.type !== 'alert') return;
    if (pattern && !pattern.test(message.body)) return;
    this.#printer.message(shown);
    if (bell && this.#isLive && event === 'message.created' && !message.silent) this.#terminal.err('\x07');
  }

  /** After a reset: missing messages are read from the rooms. */
  async #reset(reason: string, cursor: string): Promise<void> {
    this.#printer.say(`the log cannot be read on from here (${printable(reason)}); going on from the rooms themselves`);
    for (const { id } of this.#rooms) {
      let after = this.#watch.last.get(id) ?? 0;
      const { lastSeq } = await this.#client.get(`/api/room/${enc(id)}`, roomSchema);
      if (lastSeq < after) after = lastSeq;
      for (;;) {
        const page = await this.#client.get(`/api/room/${enc(id)}/message?after=${after}&limit=${PAGE}`, pageSchema);
        for (const message of page.messages)
          this.#show({ event: 'message.created', cursor, message, data: dataOf(message) });
        after = page.messages.at(-1)?.seq ?? after;
        this.#watch.know(id, after);
        if (!page.hasAfter || page.messages.length === 0) break;
      }
    }
  }

  #names(): string {
    return this.#rooms.map(({ id }) => id).join(',');
  }

  async #save(): Promise<void> {
    const { cursorFile } = this.#options;
    if (cursorFile === undefined) return;
    // A closed pipe is reported in this turn of the event loop, and ends the process.
    await new Promise((done) => setImmediate(done));
    writeCursorFile(cursorFile, { cursor: this.#cursor, seqs: this.#watch.last });
  }
}

const dataOf = (message: WireMessage) => ({ roomId: message.roomId, seq: message.seq, message });
