/** The parts of the page that can be redrawn on their own. */
export type Topic = 'rooms' | 'room' | 'flow' | 'thread' | 'typing' | 'members' | 'inbox';

/** Collects changes and notifies the listeners once a frame. */
export class Topics {
  readonly #listeners = new Map<Topic, Set<() => void>>();
  readonly #changed = new Set<Topic>();
  readonly #nextFrame: (action: () => void) => void;

  constructor(nextFrame: (action: () => void) => void) {
    this.#nextFrame = nextFrame;
  }

  on(topic: Topic, action: () => void): void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    listeners.add(action);
    this.#listeners.set(topic, listeners);
  }

  changed(...topics: readonly Topic[]): void {
    if (this.#changed.size === 0) this.#nextFrame(() => this.flush());
    for (const topic of topics) this.#changed.add(topic);
  }

  /** Notifies at once. */
  flush(): void {
    const topics = [...this.#changed];
    this.#changed.clear();
    for (const topic of topics) for (const action of this.#listeners.get(topic) ?? []) action();
  }
}
