/** What is wrong with the number of a message; `undefined`: nothing. */
export type SequenceFault =
  | { readonly kind: 'gap'; readonly after: number; readonly seq: number }
  | { readonly kind: 'back'; readonly after: number; readonly seq: number };

/** Asserts that the messages of each room come as 1, 2, 3 … without holes. */
export class SequenceWatch {
  /** The last number of each room, by its id. */
  readonly last = new Map<string, number>();
  /** Up to here messages are known from elsewhere. */
  readonly #known = new Map<string, number>();

  /** The messages of the room up to here have been read by another way. */
  know(roomId: string, seq: number): void {
    this.#known.set(roomId, seq);
    this.last.set(roomId, seq);
  }

  isKnown(roomId: string, seq: number): boolean {
    return seq <= (this.#known.get(roomId) ?? 0);
  }

  /** Takes the next new message. */
  take(roomId: string, seq: number): SequenceFault | undefined {
    const after = this.last.get(roomId);
    this.last.set(roomId, Math.max(seq, after ?? 0));
    if (after === undefined || seq === after + 1) return undefined;
    return { kind: seq > after ? 'gap' : 'back', after, seq };
  }
}
