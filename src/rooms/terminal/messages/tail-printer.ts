import type { ChalkInstance } from 'chalk';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireMessage } from '../../contract/message.ts';
import type { WireRoom } from '../../contract/room.ts';
import type { JsonRecord } from '../follower.ts';
import { headOf, type LineOptions, messageLines } from '../message-lines.ts';
import { colorsOf, printJson, safeLines } from '../output.ts';
import type { SequenceFault } from '../sequence-watch.ts';

/** A message's event to print. */
export interface Shown {
  readonly event: string;
  readonly cursor: string;
  readonly message: WireMessage;
  readonly data: JsonRecord;
}

/** A message being written, at the end of the output. */
interface OpenMessage {
  readonly id: string;
  text: string;
}

/** Prints events line by line, and a copilot's words as they arrive. */
export class TailPrinter {
  readonly #terminal: Terminal;
  readonly #colors: ChalkInstance;
  readonly #lines: LineOptions;
  readonly #slugs: ReadonlyMap<string, string>;
  readonly #isJson: boolean;
  #open: OpenMessage | undefined;
  /** Ids of messages being written. */
  readonly #writing = new Set<string>();
  #isLost = false;

  constructor(terminal: Terminal, rooms: readonly WireRoom[], isJson: boolean) {
    this.#terminal = terminal;
    this.#colors = colorsOf(terminal);
    this.#slugs = new Map(rooms.map(({ id, slug }) => [id, slug]));
    const slugOf = (roomId: string) => this.#slugs.get(roomId) ?? roomId;
    this.#lines = rooms.length > 1 ? { colors: this.#colors, slugOf } : { colors: this.#colors };
    this.#isJson = isJson;
  }

  message(shown: Shown): void {
    const { event, cursor, data, message } = shown;
    if (this.#isJson) {
      printJson(this.#terminal, { cursor, event, data });
      return;
    }
    switch (event) {
      case 'message.created':
        if (message.status === 'streaming') this.#begin(message);
        else this.#print(messageLines(message, this.#lines));
        break;
      case 'message.updated':
        this.#update(message);
        break;
      case 'alert.updated':
        this.#print(messageLines(message, this.#lines));
        break;
      case 'message.deleted':
        this.#remark(`${this.#nameOf(message)} was deleted`);
        break;
      default:
        this.#reaction(shown);
    }
  }

  /** Durable events that are not of messages. */
  event({ event, cursor, data }: { readonly event: string; readonly cursor: string; readonly data: JsonRecord }): void {
    if (this.#isJson) {
      printJson(this.#terminal, { cursor, event, data });
      return;
    }
    const member = data.member as { readonly user?: { readonly name?: unknown } } | undefined;
    const name = String(member?.user?.name ?? '');
    if (event === 'member.joined') this.#remark(`${name} has joined`);
    if (event === 'member.left' || event === 'member.banned') this.#remark(`${name} has left`);
  }

  passing(event: string, data: JsonRecord): void {
    const { messageId, offset, text } = data;
    if (event !== 'message.delta' && event !== 'message.snapshot') return;
    const open = this.#open;
    if (open?.id !== messageId || typeof text !== 'string' || typeof offset !== 'number') return;
    // A snapshot's offset is its end, a delta's its beginning.
    const start = event === 'message.snapshot' ? 0 : offset;
    if (open && start <= open.text.length) this.#write(text.slice(open.text.length - start));
  }

  fault(roomId: string, { kind, after, seq }: SequenceFault): void {
    const room = printable(this.#slugs.get(roomId) ?? roomId);
    const count = seq - after - 1;
    const missing = `${count} ${count === 1 ? 'message is' : 'messages are'} missing (removed, or lost)`;
    this.say(`${room}: after #${after} came #${seq}: ${kind === 'gap' ? missing : 'it is out of order'}`);
  }

  lost(why: string): void {
    this.#isLost = true;
    this.say(`the connection is lost (${why}); trying again`);
  }

  back(): void {
    if (this.#isLost) this.say('connected again; nothing was missed');
    this.#isLost = false;
  }

  /** A remark on the terminal beside the output. */
  say(text: string): void {
    this.#breakOff();
    this.#terminal.err(`tail: ${text}\n`);
  }

  end(): void {
    this.#breakOff();
  }

  #begin(message: WireMessage): void {
    this.#breakOff();
    this.#terminal.out(`${headOf(message, this.#lines)} `);
    this.#open = { id: message.id, text: '' };
    this.#writing.add(message.id);
    this.#write(message.body);
  }

  #update(message: WireMessage): void {
    const { id, body, status, edited, updatedAt } = message;
    if (this.#open?.id === id) {
      if (body.startsWith(this.#open.text)) this.#write(body.slice(this.#open.text.length));
      if (status === 'streaming') return;
      this.#writing.delete(id);
      const isSame = this.#open.text === body;
      this.#breakOff();
      if (!isSame || status !== 'complete') this.#print(messageLines(message, this.#lines));
      return;
    }
    if (status === 'streaming') return;
    if (this.#writing.delete(id)) this.#print(messageLines(message, this.#lines));
    // Replies update their root, too.
    else if (edited?.at === updatedAt) {
      const remark = this.#colors.dim(' (edited)');
      this.#print(messageLines(message, this.#lines).replace('\n', () => `${remark}\n`));
    }
  }

  #reaction({ event, data, message }: Shown): void {
    const who = printable(String(data.userId ?? ''));
    const what = this.#nameOf(message);
    if (event === 'reaction.added') this.#remark(`${who} ${String(data.emoji)} ${what}`);
    if (event === 'pin.added') this.#remark(`${who} pinned ${what}`);
  }

  /** `#12 of ana: the first words…` */
  #nameOf({ seq, author, body }: WireMessage): string {
    const [first = ''] = safeLines(body);
    const words = first.length > 40 ? `${first.slice(0, 40)}…` : first;
    return `#${seq} of ${author.name}${words === '' ? '' : `: ${words}`}`;
  }

  #remark(text: string): void {
    this.#print(`${this.#colors.dim(`* ${printable(text)}`)}\n`);
  }

  #print(text: string): void {
    this.#breakOff();
    this.#terminal.out(text);
  }

  #write(text: string): void {
    if (!this.#open) return;
    this.#open.text += text;
    this.#terminal.out(safeLines(text).join('\n        '));
  }

  #breakOff(): void {
    if (this.#open) this.#terminal.out('\n');
    this.#open = undefined;
  }
}
