import { ROOT } from '../root.ts';

/** Unsent texts, by room or thread. */
export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly #prefix: string;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>, userId: string) {
    this.#storage = storage;
    this.#prefix = `opsdeck.rooms.draft.${ROOT}${userId}.`;
  }

  read(roomId: string): string {
    try {
      return this.#storage.getItem(this.#prefix + roomId) ?? '';
    } catch {
      return '';
    }
  }

  write(roomId: string, text: string): void {
    try {
      if (text === '') this.#storage.removeItem(this.#prefix + roomId);
      else this.#storage.setItem(this.#prefix + roomId, text);
    } catch {
      // Full or forbidden: the draft is kept until the page is closed.
    }
  }
}

/** A browser that forbids storage throws on the first access. */
export function browserStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  }
}
