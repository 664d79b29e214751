import type { RedisConnection } from '../stores/redis/client.ts';
import type { BigSegmentPatch, BigSegmentStore, ListedSegments } from './store.ts';

export interface RedisBigSegmentParts {
  /** Of this store alone: a patch watches a key on it. A failure is that of every operation. */
  readonly connection: Promise<RedisConnection>;
  /** Of the keys, without a colon. */
  readonly prefix: string;
}

/** Big segments in Redis: a set of included and one of excluded segments for each context. */
export class RedisBigSegmentStore implements BigSegmentStore {
  readonly #connection: Promise<RedisConnection>;
  readonly #prefix: string;

  constructor({ connection, prefix }: RedisBigSegmentParts) {
    this.#connection = connection;
    this.#prefix = prefix;
    connection.catch(() => {});
  }

  async cursor(): Promise<string> {
    const { client } = await this.#connection;
    return (await client.get(this.#key('big_segments_cursor'))) ?? '';
  }

  /** Redis applies all of a patch or nothing. Without a cursor any patch is the first. */
  async applyPatch({ segmentId, version, previousVersion, included, excluded }: BigSegmentPatch): Promise<boolean> {
    const { client } = await this.#connection;
    const lock = this.#key('big_segments_lock');
    const cursorKey = this.#key('big_segments_cursor');
    await client.watch(lock);
    const cursor = await client.get(cursorKey);
    if (cursor !== null && cursor !== previousVersion) {
      await client.unwatch();
      return false;
    }
    const transaction = client.multi().set(lock, '').set(cursorKey, version);
    for (const hash of included.add) transaction.sAdd(this.#listKey('include', hash), segmentId);
    for (const hash of included.remove) transaction.sRem(this.#listKey('include', hash), segmentId);
    for (const hash of excluded.add) transaction.sAdd(this.#listKey('exclude', hash), segmentId);
    for (const hash of excluded.remove) transaction.sRem(this.#listKey('exclude', hash), segmentId);
    try {
      await transaction.exec();
      return true;
    } catch (error) {
      const { WatchError } = await import('@redis/client');
      // Another relay has set the lock.
      if (error instanceof WatchError) return false;
      throw error;
    }
  }

  async setSynchronizedOn(ms: number): Promise<void> {
    const { client } = await this.#connection;
    await client.set(this.#key('big_segments_synchronized_on'), String(ms));
  }

  async synchronizedOn(): Promise<number | undefined> {
    const { client } = await this.#connection;
    const ms = Number.parseInt((await client.get(this.#key('big_segments_synchronized_on'))) ?? '', 10);
    return Number.isNaN(ms) ? undefined : ms;
  }

  async listedSegments(hash: string): Promise<ListedSegments> {
    const { client } = await this.#connection;
    const [included, excluded] = await Promise.all([
      client.sMembers(this.#listKey('include', hash)),
      client.sMembers(this.#listKey('exclude', hash)),
    ]);
    return { included, excluded };
  }

  async close(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    connection?.close();
  }

  #key(name: string): string {
    return `${this.#prefix}:${name}`;
  }

  #listKey(list: 'include' | 'exclude', hash: string): string {
    return this.#key(`big_segment_${list}:${hash}`);
  }
}
