import type { BigSegmentPatch, BigSegmentStore, ListedSegments } from '../../big-segments/store.ts';

/** A store of big segments in memory, which fails on demand. */
export class MemoryBigSegmentStore implements BigSegmentStore {
  /** Names of the operations so far. */
  readonly operations: (keyof BigSegmentStore)[] = [];
  /** Operations fail with it. */
  failure: Error | undefined;
  /** Only this operation fails; undefined: all of them. */
  failing: keyof BigSegmentStore | undefined;
  /** Operations wait for it. */
  gate: Promise<void> | undefined;
  readonly #lists = { included: new Map<string, Set<string>>(), excluded: new Map<string, Set<string>>() };
  #cursor = '';
  #synchronizedOn: number | undefined;

  async cursor(): Promise<string> {
    await this.#begin('cursor');
    return this.#cursor;
  }

  async applyPatch(patch: BigSegmentPatch): Promise<boolean> {
    await this.#begin('applyPatch');
    // As in Redis: without a cursor any patch is the first.
    if (this.#cursor !== '' && this.#cursor !== patch.previousVersion) return false;
    this.#cursor = patch.version;
    for (const list of ['included', 'excluded'] as const) {
      const segments = this.#lists[list];
      for (const hash of patch[list].add) segments.set(hash, new Set(segments.get(hash)).add(patch.segmentId));
      for (const hash of patch[list].remove) segments.get(hash)?.delete(patch.segmentId);
    }
    return true;
  }

  async setSynchronizedOn(ms: number): Promise<void> {
    await this.#begin('setSynchronizedOn');
    this.#synchronizedOn = ms;
  }

  async synchronizedOn(): Promise<number | undefined> {
    await this.#begin('synchronizedOn');
    return this.#synchronizedOn;
  }

  async listedSegments(hash: string): Promise<ListedSegments> {
    await this.#begin('listedSegments');
    const { included, excluded } = this.#lists;
    return { included: [...(included.get(hash) ?? [])], excluded: [...(excluded.get(hash) ?? [])] };
  }

  /** Loses all data, as a cache that is started again. */
  empty(): void {
    this.#cursor = '';
    this.#synchronizedOn = undefined;
    for (const list of Object.values(this.#lists)) list.clear();
  }

  async close(): Promise<void> {
    this.operations.push('close');
  }

  count(operation: keyof BigSegmentStore): number {
    return this.operations.filter((one) => one === operation).length;
  }

  async #begin(operation: keyof BigSegmentStore): Promise<void> {
    this.operations.push(operation);
    await this.gate;
    if (this.failure && (this.failing ?? operation) === operation) throw this.failure;
  }
}

/** A patch of the segment `s`, generation 1, which adds and removes nothing unless given. */
export function patchOf(
  previousVersion: string,
  version: string,
  lists: Partial<BigSegmentPatch> = {},
): BigSegmentPatch {
  const none = { add: [], remove: [] };
  return { segmentId: 's.g1', version, previousVersion, included: none, excluded: none, ...lists };
}
