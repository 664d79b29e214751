import { Excerpt, type TextPlace } from './excerpt.ts';

/** The listed text of an item; empty when it is not listed. */
export interface ListedText extends TextPlace {
  /** The last instant at which the text is valid; epoch milliseconds. */
  readonly until: number;
}

/** A listed item: an alert or a group. */
export interface Listable<Item> {
  /** Undefined when the item has changed since it was printed. */
  listed?: ListedText | undefined;
  /** Its page; undefined until the next listing. */
  page?: Page<Item>;
}

/** Consecutive items with their texts in one buffer. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The texts, joined by commas. Replaced, never changed: a response may still be reading them. */
  bytes: Buffer;
  /** Unique among the bytes of all pages. */
  version: number;
  /** An item must be printed again. */
  isStale: boolean;
  /** The last instant at which all texts are valid; epoch milliseconds. */
  until: number;
}

/** Alerts on a new page. A page with more than twice as many is split. */
const PAGE_ALERTS = 64;

/** The texts of all items in order. A change costs one page. */
export class Pages<Item extends Listable<Item>> {
  #pages: readonly Page<Item>[] = [];
  #sorted: readonly Item[] = [];
  readonly #alertsIn: (item: Item) => number;

  /** `alertsIn` returns the number of alerts of an item. */
  constructor(alertsIn: (item: Item) => number) {
    this.#alertsIn = alertsIn;
  }

  /** The current pages. `sorted` is the same array as long as the items are the same. */
  current(sorted: readonly Item[], now: number, print: (item: Item) => Item['listed'] & {}): readonly Page<Item>[] {
    if (sorted !== this.#sorted) {
      this.#pages = arrange(this.#pages, sorted, this.#alertsIn);
      this.#sorted = sorted;
    }
    for (const page of this.#pages) if (page.isStale || page.until < now) write(page, now, print);
    return this.#pages;
  }
}

/** The item has changed: the next listing prints it again. */
export function forgetListed<Item extends Listable<Item>>(item: Item): void {
  item.listed = undefined;
  if (item.page) item.page.isStale = true;
}

/** Puts new items on their pages. A page without additions and removals stays. */
function arrange<Item extends Listable<Item>>(
  pages: readonly Page<Item>[],
  sorted: readonly Item[],
  alertsIn: (item: Item) => number,
): readonly Page<Item>[] {
  const arranged: Page<Item>[] = [];
  let start = 0;
  for (const page of pages) {
    let end = start;
    let added = 0;
    for (; end < sorted.length; end++) {
      const place = sorted[end]?.page;
      if (place === undefined) added++;
      else if (place !== page) break;
    }
    if (added === 0 && end - start === page.items.length) arranged.push(page);
    else divide(sorted.slice(start, end), alertsIn, arranged);
    start = end;
  }
  divide(sorted.slice(start), alertsIn, arranged);
  return arranged;
}

function divide<Item extends Listable<Item>>(
  items: readonly Item[],
  alertsIn: (item: Item) => number,
  pages: Page<Item>[],
): void {
  const alerts = items.reduce((sum, item) => sum + alertsIn(item), 0);
  const most = alerts > 2 * PAGE_ALERTS ? PAGE_ALERTS : Number.POSITIVE_INFINITY;
  for (let start = 0; start < items.length; ) {
    let end = start;
    for (let held = 0; end < items.length && held < most; end++) held += alertsIn(items[end] as Item);
    const own = items.slice(start, end);
    const page: Page<Item> = { items: own, bytes: Buffer.alloc(0), version: 0, isStale: true, until: 0 };
    for (const item of own) item.page = page;
    pages.push(page);
    start = end;
  }
}

let nextVersion = 1;

/** Prints changed and expired texts and copies the rest. */
function write<Item extends Listable<Item>>(
  page: Page<Item>,
  now: number,
  print: (item: Item) => Item['listed'] & {},
): void {
  const excerpt = new Excerpt();
  const texts: ListedText[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const item of page.items) {
    const { listed } = item;
    const text = listed && listed.until >= now ? listed : print(item);
    item.listed = text;
    texts.push(text);
    excerpt.add(text);
    until = Math.min(until, text.until);
  }
  page.bytes = excerpt.join();
  page.version = nextVersion++;
  page.until = until;
  page.isStale = false;
  place(texts, page.bytes);
}

/** The texts are in these bytes now. */
function place(texts: readonly TextPlace[], bytes: Buffer): void {
  let start = 0;
  for (const text of texts) {
    const size = text.end - text.start;
    if (size === 0) continue;
    text.bytes = bytes;
    text.start = start;
    text.end = start + size;
    start = text.end + 1;
  }
}
