/** How long one frame may paint before the rest waits for the next. */
const FRAME_BUDGET_MS = 24;
/** Charts so close to the screen are drawn before they are scrolled to. */
const NEAR = '300px';

/** Paints what is near the screen, a few charts a frame; what is far away waits until somebody comes near. */
export class PaintQueue<Key> {
  readonly #paint: (key: Key) => void;
  readonly #dirty = new Set<Key>();
  readonly #near = new Set<Key>();
  readonly #keys = new Map<Element, Key>();
  readonly #observer: IntersectionObserver;
  #frame: number | undefined;

  constructor(paint: (key: Key) => void) {
    this.#paint = paint;
    this.#observer = new IntersectionObserver((entries) => this.#onSeen(entries), { rootMargin: NEAR });
  }

  watch(key: Key, element: Element): void {
    this.#keys.set(element, key);
    this.#observer.observe(element);
  }

  add(keys: readonly Key[]): void {
    for (const key of keys) this.#dirty.add(key);
    this.#schedule();
  }

  close(): void {
    this.#observer.disconnect();
    this.#dirty.clear();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
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
    if (this.#frame !== undefined || !this.#next()) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      const begun = performance.now();
      for (let next = this.#next(); next; next = this.#next()) {
        this.#dirty.delete(next.key);
        this.#paint(next.key);
        if (performance.now() - begun > FRAME_BUDGET_MS) break;
      }
      this.#schedule();
    });
  }

  /** The first dirty one that is near, in the order in which they are watched. */
  #next(): { readonly key: Key } | undefined {
    for (const key of this.#keys.values()) if (this.#dirty.has(key) && this.#near.has(key)) return { key };
    return undefined;
  }
}
