import { nextTask } from '../../../shared/task.ts';

/** Maximum painting time per frame. */
const FRAME_BUDGET_MS = 12;
/** Charts this close to the screen are painted in advance. */
const NEAR = '300px';

export interface PaintQueueParts<Key> {
  paint(key: Key): void;
  /** Writes the invisible texts of a painted chart, once all charts near the screen are painted. */
  describe(key: Key): void;
}

/** Paints the charts near the screen, a few per frame; others wait until they are near. */
export class PaintQueue<Key> {
  readonly #parts: PaintQueueParts<Key>;
  readonly #dirty = new Set<Key>();
  readonly #undescribed = new Set<Key>();
  readonly #near = new Set<Key>();
  readonly #keys = new Map<Element, Key>();
  readonly #observer: IntersectionObserver;
  #isScheduled = false;

  constructor(parts: PaintQueueParts<Key>) {
    this.#parts = parts;
    this.#observer = new IntersectionObserver((entries) => this.#onSeen(entries), { rootMargin: NEAR });
  }

  watch(key: Key, element: Element): void {
    this.#keys.set(element, key);
    this.#observer.observe(element);
  }

  add(keys: Iterable<Key>): void {
    for (const key of keys) this.#dirty.add(key);
    this.#schedule();
  }

  close(): void {
    this.#observer.disconnect();
    this.#dirty.clear();
    this.#undescribed.clear();
  }

  #onSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const key = this.#keys.get(target);
      if (key === undefined) continue;
      if (isIntersecting) this.#near.add(key);
      else this.#near.delete(key);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || (!this.#next() && this.#undescribed.size === 0)) return;
    this.#isScheduled = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Drawing reads sizes and fonts: lays out the page first, in a task of its own.
    await nextTask();
    document.body.getBoundingClientRect();
    while (this.#next()) {
      await new Promise(requestAnimationFrame);
      this.#paintFrame();
    }
    await nextTask();
    const [key] = this.#undescribed;
    if (key !== undefined) {
      this.#undescribed.delete(key);
      this.#parts.describe(key);
    }
    this.#isScheduled = false;
    this.#schedule();
  }

  #paintFrame(): void {
    const begun = performance.now();
    for (let next = this.#next(); next; next = this.#next()) {
      this.#dirty.delete(next.key);
      this.#undescribed.add(next.key);
      this.#parts.paint(next.key);
      if (performance.now() - begun > FRAME_BUDGET_MS) return;
    }
  }

  /** The first dirty chart near the screen, in the order of `watch`. */
  #next(): { readonly key: Key } | undefined {
    for (const key of this.#keys.values()) if (this.#dirty.has(key) && this.#near.has(key)) return { key };
    return undefined;
  }
}
