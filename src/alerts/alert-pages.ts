import type { AlertSlot, ListedAlert } from './alert-slot.ts';

/** Some alerts that follow one another in the order of fingerprints, with their texts in one piece. */
export interface AlertPage {
  readonly slots: readonly AlertSlot[];
  /** The texts with a comma between them. Replaced and never changed: somebody may still be reading them. */
  bytes: Buffer;
  /** Some alert has to be printed anew. */
  isStale: boolean;
  /** The end of the alert that ends first; epoch milliseconds. */
  earliestEnd: number;
}

/** Alerts on a new page. One that comes to hold more than twice as many is divided. */
const PAGE_ALERTS = 64;

/** The texts of all alerts in the order of fingerprints. What changes costs the page on which it stands. */
export class AlertPages {
  #pages: readonly AlertPage[] = [];
  #sorted: readonly AlertSlot[] = [];

  /** All pages as they are now. `sorted` is the same array as long as the same alerts are held. */
  current(sorted: readonly AlertSlot[], print: (slot: AlertSlot) => ListedAlert): readonly AlertPage[] {
    if (sorted !== this.#sorted) {
      this.#pages = arrange(this.#pages, sorted);
      this.#sorted = sorted;
    }
    for (const page of this.#pages) if (page.isStale) write(page, print);
    return this.#pages;
  }

  /** Forgets the texts that hold no longer. */
  review(holds: (slot: AlertSlot) => boolean): void {
    for (const slot of this.#sorted) if (!holds(slot)) forgetListed(slot);
  }
}

/** Something in the alert has changed: it is printed anew when somebody lists it. */
export function forgetListed(slot: AlertSlot): void {
  slot.listed = undefined;
  if (slot.page) slot.page.isStale = true;
}

/** Texts out of pages; those that stand side by side are cut out in one piece. */
export class Excerpt {
  readonly #pieces: Buffer[] = [];
  #bytes: Buffer | undefined;
  #start = 0;
  #end = 0;

  add({ bytes, start, end }: Pick<ListedAlert, 'bytes' | 'start' | 'end'>): void {
    if (bytes === this.#bytes && start === this.#end + 1) {
      this.#end = end;
      return;
    }
    this.#cut();
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  addPage({ bytes }: AlertPage): void {
    this.add({ bytes, start: 0, end: bytes.length });
  }

  /** Pieces that a comma joins. */
  pieces(): readonly Buffer[] {
    this.#cut();
    this.#bytes = undefined;
    return this.#pieces;
  }

  #cut(): void {
    const bytes = this.#bytes;
    if (!bytes) return;
    const isWhole = this.#start === 0 && this.#end === bytes.length;
    this.#pieces.push(isWhole ? bytes : bytes.subarray(this.#start, this.#end));
  }
}

/** Puts alerts that are new on the pages where they belong. A page to which none comes and from which none goes stays. */
function arrange(pages: readonly AlertPage[], sorted: readonly AlertSlot[]): readonly AlertPage[] {
  const arranged: AlertPage[] = [];
  let start = 0;
  for (const page of pages) {
    let end = start;
    let added = 0;
    for (; end < sorted.length; end++) {
      const place = sorted[end]?.page;
      if (place === undefined) added++;
      else if (place !== page) break;
    }
    if (added === 0 && end - start === page.slots.length) arranged.push(page);
    else arranged.push(...divide(sorted.slice(start, end)));
    start = end;
  }
  arranged.push(...divide(sorted.slice(start)));
  return arranged;
}

function divide(slots: readonly AlertSlot[]): readonly AlertPage[] {
  const size = slots.length > 2 * PAGE_ALERTS ? PAGE_ALERTS : slots.length;
  const pages: AlertPage[] = [];
  for (let start = 0; start < slots.length; start += size) {
    const own = slots.slice(start, start + size);
    const page: AlertPage = {
      slots: own,
      bytes: Buffer.alloc(0),
      isStale: true,
      earliestEnd: Number.POSITIVE_INFINITY,
    };
    for (const slot of own) slot.page = page;
    pages.push(page);
  }
  return pages;
}

const COMMA = Buffer.from(',');

/** Prints what has changed and takes over the rest. */
function write(page: AlertPage, print: (slot: AlertSlot) => ListedAlert): void {
  const excerpt = new Excerpt();
  const texts: ListedAlert[] = [];
  let size = page.slots.length - 1;
  let earliestEnd = Number.POSITIVE_INFINITY;
  for (const slot of page.slots) {
    slot.listed ??= print(slot);
    texts.push(slot.listed);
    excerpt.add(slot.listed);
    size += slot.listed.end - slot.listed.start;
    earliestEnd = Math.min(earliestEnd, slot.alert.endsAt);
  }
  // Of its own memory: a slice of the pool would keep all of that alive.
  const bytes = Buffer.allocUnsafeSlow(size);
  let used = 0;
  for (const piece of excerpt.pieces()) {
    if (used > 0) used += COMMA.copy(bytes, used);
    used += piece.copy(bytes, used);
  }
  let start = 0;
  for (const text of texts) {
    const end = start + text.end - text.start;
    text.bytes = bytes;
    text.start = start;
    text.end = end;
    start = end + 1;
  }
  page.bytes = bytes;
  page.earliestEnd = earliestEnd;
  page.isStale = false;
}
