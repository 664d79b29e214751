import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { ReceiverData } from '../domain/notification.ts';
import type { Handover } from '../notify/notifier.ts';

/** Who has failed once is not trusted for so long. */
const PROBATION_MS = 3_600_000;
/** So much later a failure of somebody who is not trusted anyway is noted again. */
const DOUBT_STEP_MS = 60_000;
/** Whoever has not answered by then has perhaps not heard it. */
const UNANSWERED_MS = 2_000;

/** What a line says of a notification. */
export interface NotedTelling {
  readonly line: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly receiverData?: ReceiverData;
  /** Otherwise it was handed over, and that is all. */
  readonly isAnswered: boolean;
}

/** An integration of a receiver, as far as it can be relied upon. */
export class Recipient {
  readonly key: string;
  readonly #clock: Clock;
  readonly #write: (line: string) => boolean;
  #isTrusted = false;
  #doubtedAt = 0;
  /** What the process before this one has noted, by the ids of the notifications. */
  readonly #before = new Map<string, NotedTelling>();
  /** Those with a line in the file that are not at their end as yet. */
  readonly #open = new Set<HandoverNote>();

  constructor(key: string, clock: Clock, write: (line: string) => boolean) {
    this.key = key;
    this.#clock = clock;
    this.#write = write;
  }

  /** What the process before this one has noted of a notification that counts as told. */
  toldBefore(id: string): NotedTelling | undefined {
    return this.#before.get(id);
  }

  /** A notification is about to be sent. */
  begin(id: string): HandoverNote {
    return new HandoverNote(id, this);
  }

  succeeded(): void {
    if (this.#isTrusted || this.#clock.now() - this.#doubtedAt < PROBATION_MS) return;
    this.#isTrusted = true;
    this.#write(`trusted ${this.key} ${this.#clock.now()}\n`);
  }

  /** An attempt has failed: nothing that is unanswered counts as told, and nothing that is handed over in the next hour. */
  failed(): void {
    const now = this.#clock.now();
    if (!this.#isTrusted && now - this.#doubtedAt < DOUBT_STEP_MS) return;
    this.#doubtedAt = now;
    this.#doubt(now);
  }

  /** Called by a note of its own, whose line stands in the file then; undefined: it does not. */
  noteSent(note: HandoverNote): CancelTimer | undefined {
    const line = `sent ${note.id} ${this.key} ${this.#clock.now()}\n`;
    if (!this.#isTrusted || !this.#note(note, line)) return undefined;
    // It is trusted again as soon as it answers.
    return this.#clock.after(UNANSWERED_MS, () => this.#doubt(0));
  }

  /** Called by a note of its own. */
  noteTold(note: HandoverNote, data: ReceiverData | undefined): void {
    this.#note(note, `told ${note.id} ${this.key} ${this.#clock.now()}${writeData(data)}\n`);
  }

  /** Called by a note of its own. */
  forget(note: HandoverNote): void {
    this.#open.delete(note);
    this.#before.delete(note.id);
  }

  wasNoted(id: string, telling: NotedTelling): void {
    this.#before.set(id, telling);
  }

  wasTrusted(): void {
    this.#isTrusted = true;
  }

  wasDoubted(at: number): void {
    this.#isTrusted = false;
    this.#doubtedAt = Math.max(this.#doubtedAt, at);
    this.#forgetUnanswered();
  }

  forgetBefore(): void {
    this.#before.clear();
  }

  /** All that has to be known of it. */
  lines(): readonly string[] {
    const noted = [...this.#before.values(), ...this.#open].map(({ line }) => line ?? '');
    if (this.#isTrusted) return [`trusted ${this.key} 0\n`, ...noted];
    const isDoubted = this.#clock.now() - this.#doubtedAt < PROBATION_MS;
    return isDoubted ? [`doubted ${this.key} ${this.#doubtedAt}\n`, ...noted] : noted;
  }

  /** Its line has to be in memory when the file is written anew. */
  #note(note: HandoverNote, line: string): boolean {
    note.line = line;
    this.#open.add(note);
    if (this.#write(line)) return true;
    this.#open.delete(note);
    note.line = undefined;
    return false;
  }

  #doubt(at: number): void {
    this.#isTrusted = false;
    this.#forgetUnanswered();
    for (const note of [...this.#open]) if (!note.isAnswered) note.end();
    this.#write(`doubted ${this.key} ${at}\n`);
    for (const { line } of this.#open) if (line !== undefined) this.#write(line);
  }

  #forgetUnanswered(): void {
    for (const [id, { isAnswered }] of this.#before) if (!isAnswered) this.#before.delete(id);
  }
}

/** One notification on its way to a recipient. */
export class HandoverNote implements Handover {
  readonly id: string;
  /** What stands in the file: after a kill, it counts as told. */
  line: string | undefined;
  readonly #recipient: Recipient;
  #cancel: CancelTimer | undefined;
  #isAnswered = false;
  #isOver = false;

  constructor(id: string, recipient: Recipient) {
    this.id = id;
    this.#recipient = recipient;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether the process after a kill takes it for told. */
  get stands(): boolean {
    return this.line !== undefined;
  }

  done(): void {
    if (this.#isOver || this.stands) return;
    this.#cancel = this.#recipient.noteSent(this);
  }

  /** It was taken; from now on that stands in the file, whatever the recipient does next. */
  succeeded(data?: ReceiverData): void {
    this.#isAnswered = true;
    this.#cancel?.();
    this.#recipient.succeeded();
    if (!this.stands || data !== undefined) this.#recipient.noteTold(this, data);
  }

  /** An attempt came to nothing. */
  undone(): void {
    this.end();
    this.#recipient.failed();
  }

  /** What has come of it is known elsewhere. */
  end(): void {
    this.#isOver = true;
    this.line = undefined;
    this.#cancel?.();
    this.#recipient.forget(this);
  }
}

function writeData(data: ReceiverData | undefined): string {
  return data === undefined ? '' : ` ${Buffer.from(JSON.stringify(data)).toString('base64url')}`;
}

/** Of a line: base64url of JSON. */
export function readData(text: string | undefined): { readonly receiverData?: ReceiverData } {
  if (text === undefined) return {};
  try {
    return { receiverData: JSON.parse(Buffer.from(text, 'base64url').toString()) };
  } catch {
    // That it was told is all the same.
    return {};
  }
}
