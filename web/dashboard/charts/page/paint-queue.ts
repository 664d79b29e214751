import { nextTask } from '../../../shared/task.ts';

/** How long one frame may paint before the rest waits for the next. */
const FRAME_BUDGET_MS = 12;
/** Charts so close to the screen are drawn before they are scrolled to. */
const NEAR = '300px';

export interface PaintQueueParts<Key> {
  paint(key: Key): void;
  /** What of a painted chart is not to be seen: it is written when all near the screen are painted. */
  describe(key: Key): void;
}

/** Paints what is near the screen, a few charts a frame; what is far away waits until somebody comes near. */
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
    // Drawing asks for sizes and fonts: the page is laid out before, in a task of its own.
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

  /** The first dirty one that is near, in the order in which they are watched. */
  #next(): { readonly key: Key } | undefined {
    for (const key of this.#keys.values()) if (this.#dirty.has(key) && this.#near.has(key)) return { key };
    return undefined;
  }
}
