import type { Page } from '../listing-pages/alert-pages.ts';
import type { AlertSlot } from '../store/slot.ts';

/** Indexed label names: the ones that filters use. */
const MAX_NAMES = 4;

type ByValue = ReadonlyMap<string, readonly AlertSlot[]>;

const NONE: readonly AlertSlot[] = [];

/** Finds the alerts of a page by label value, for the label names that were used last. */
export class LabelIndex {
  /** By name, least recently used first. The alerts of a page never change. */
  readonly #byName = new Map<string, WeakMap<Page<AlertSlot>, ByValue>>();

  /** Returns a function from a page to its alerts with this label value, in their order. */
  finder(name: string, value: string): (page: Page<AlertSlot>) => readonly AlertSlot[] {
    const pages = this.#byName.get(name) ?? new WeakMap<Page<AlertSlot>, ByValue>();
    this.#byName.delete(name);
    this.#byName.set(name, pages);
    for (const oldest of this.#byName.keys()) {
      if (this.#byName.size <= MAX_NAMES) break;
      this.#byName.delete(oldest);
    }
    return (page) => {
      let byValue = pages.get(page);
      if (!byValue) {
        byValue = indexPage(page, name);
        pages.set(page, byValue);
      }
      return byValue.get(value) ?? NONE;
    };
  }
}

function indexPage({ items }: Page<AlertSlot>, name: string): ByValue {
  const byValue = new Map<string, AlertSlot[]>();
  let known: readonly string[] = [];
  let place = -1;
  for (const slot of items) {
    const { names, values } = slot.alert.labels;
    if (names !== known) place = names.indexOf(name);
    known = names;
    const value = values[place];
    if (value === undefined) continue;
    const same = byValue.get(value);
    if (same) same.push(slot);
    else byValue.set(value, [slot]);
  }
  return byValue;
}
