/** A gap or repetition in a room's numbers. */
export type SequenceFault =
  | { readonly kind: 'gap'; readonly after: number; readonly seq: number }
  | { readonly kind: 'back'; readonly after: number; readonly seq: number };

/** Checks that the messages of each room arrive as 1, 2, 3 … without holes. */
export class SequenceWatch {
  /** The last number of each room, by its id. */
  readonly last = new Map<string, number>();
  /** Messages up to here were read otherwise. */
  readonly #known = new Map<string, number>();

  /** Notes that the room's messages up to here were read otherwise. */
  know(roomId: string, seq: number): void {
    this.#known.set(roomId, seq);
    this.last.set(roomId, seq);
  }

  isKnown(roomId: string, seq: number): boolean {
    return seq <= (this.#known.get(roomId) ?? 0);
  }

  /** Checks the next new message. */
  take(roomId: string, seq: number): SequenceFault | undefined {
    const after = this.last.get(roomId);
    this.last.set(roomId, Math.max(seq, after ?? 0));
    if (after === undefined || seq === after + 1) return undefined;
    return { kind: seq > after ? 'gap' : 'back', after, seq };
  }
}
