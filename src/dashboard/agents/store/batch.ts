import type { BatchEvent, FileState } from './usage-database.ts';

/** Events of a batch before it is full; each takes about ten microseconds to commit. */
const MAX_EVENTS = 5_000;

/** What is read between two commits: of each answer of a model the event that counts. */
export class Batch<T> {
  /** How far files are read, by path. */
  readonly files = new Map<string, FileState>();
  /** What `note` was given, to be read again if the commit fails. */
  readonly read: T[] = [];
  readonly #events = new Map<string, BatchEvent>();

  get events(): readonly BatchEvent[] {
    return [...this.#events.values()];
  }

  get isFull(): boolean {
    return this.#events.size >= MAX_EVENTS;
  }

  note(read: T, state: FileState): void {
    this.read.push(read);
    this.files.set(state.path, state);
  }

  /** An answer is usually logged several times in a row. */
  add(added: BatchEvent): void {
    const key = `${added.agent} ${added.event.key}`;
    const known = this.#events.get(key);
    if (!known || replaces(added, known)) this.#events.set(key, added);
  }
}

/** The same rule as in SQL: a higher rank, then the earlier. */
function replaces({ event, isNewer }: BatchEvent, { event: known }: BatchEvent): boolean {
  if (event.rank !== known.rank) return event.rank > known.rank;
  return isNewer || event.at < known.at;
}
