/** Marks what the arrow keys go to, such as the lines of a list. */
const STOPS = '[data-stop]:not([hidden])';

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** One tab stop for a whole list: the keys move the focus between its lines, and Tab leaves it. */
export class Stops {
  readonly #root: HTMLElement;
  #current: HTMLElement | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    root.addEventListener('focusin', ({ target }) => {
      const stop = target instanceof HTMLElement ? target.closest<HTMLElement>(STOPS) : null;
      if (stop) this.#make(stop);
    });
    root.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** The focused line, or the one that contains the focus. */
  get focused(): HTMLElement | undefined {
    const { activeElement } = document;
    if (!activeElement || !this.#root.contains(activeElement)) return undefined;
    return (
      activeElement.closest<HTMLElement>(STOPS) ?? activeElement.closest('.alert')?.querySelector(STOPS) ?? undefined
    );
  }

  /** After the list has changed: one line is a tab stop again if the last one is gone. Lines are drawn with tabindex -1. */
  refresh(): void {
    const kept = this.#current?.isConnected && !this.#current.hidden ? this.#current : this.#all()[0];
    if (kept) this.#make(kept);
  }

  /** Moves the focus by a number of lines, at most to the ends; from elsewhere to the last focused line. */
  move(by: number): void {
    const stops = this.#all();
    const from = this.focused;
    const at = from ? stops.indexOf(from) + by : this.#current ? stops.indexOf(this.#current) : 0;
    const target = stops[Math.max(0, Math.min(at, stops.length - 1))];
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const by = MOVES[event.key];
    if (by === undefined || !(event.target instanceof Element && event.target.matches(STOPS))) return;
    event.preventDefault();
    this.move(by);
  }

  #all(): readonly HTMLElement[] {
    return [...this.#root.querySelectorAll<HTMLElement>(STOPS)];
  }

  #make(stop: HTMLElement): void {
    if (this.#current && this.#current !== stop) this.#current.tabIndex = -1;
    stop.tabIndex = 0;
    this.#current = stop;
  }
}
