import { Excerpt, type TextPlace } from './excerpt.ts';

/** How something is listed, or an empty text where it is not. */
export interface ListedText extends TextPlace {
  /** The last moment at which it is listed so; epoch milliseconds. */
  readonly until: number;
}

/** What is listed: an alert, or a group of them. */
export interface Listable<Item> {
  /** Undefined when something in it has changed since it was printed. */
  listed?: ListedText | undefined;
  /** Where it stands; undefined until somebody lists. */
  page?: Page<Item>;
}

/** Some items that follow one another, with their texts in one piece. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The texts with a comma between them. Replaced and never changed: somebody may still be reading them. */
  bytes: Buffer;
  /** A number that no other bytes have, of whatever page. */
  version: number;
  /** Some item has to be printed anew. */
  isStale: boolean;
  /** The last moment at which all are listed so; epoch milliseconds. */
  until: number;
}

/** Alerts on a new page. One that comes to hold more than twice as many is divided. */
const PAGE_ALERTS = 64;

/** The texts of all items in their order. What changes costs the page on which it stands. */
export class Pages<Item extends Listable<Item>> {
  #pages: readonly Page<Item>[] = [];
  #sorted: readonly Item[] = [];
  readonly #alertsIn: (item: Item) => number;

  /** `alertsIn` says how many alerts an item holds. */
  constructor(alertsIn: (item: Item) => number) {
    this.#alertsIn = alertsIn;
  }

  /** All pages as they are now. `sorted` is the same array as long as the same items are held. */
  current(sorted: readonly Item[], now: number, print: (item: Item) => Item['listed'] & {}): readonly Page<Item>[] {
    if (sorted !== this.#sorted) {
      this.#pages = arrange(this.#pages, sorted, this.#alertsIn);
      this.#sorted = sorted;
    }
    for (const page of this.#pages) if (page.isStale || page.until < now) write(page, now, print);
    return this.#pages;
  }
}

/** Something in the item has changed: it is printed anew when somebody lists it. */
export function forgetListed<Item extends Listable<Item>>(item: Item): void {
  item.listed = undefined;
  if (item.page) item.page.isStale = true;
}

/** Puts items that are new on the pages where they belong. A page to which none comes and from which none goes stays. */
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

/** Prints what has changed or is over, and takes over the rest. */
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

/** The texts stand in these bytes now. */
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
