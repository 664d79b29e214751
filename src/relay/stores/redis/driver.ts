import { ITEM_KINDS, type ItemKind } from '../../flag-store.ts';
import {
  INITED,
  SOURCE,
  STORED_KINDS,
  type StoreDriver,
  type StoredData,
  type StoredText,
  type StoreWrite,
} from '../driver.ts';
import type { Turns } from '../turns.ts';
import type { RedisClient, RedisConnection } from './client.ts';

export interface RedisDriverParts {
  readonly connection: Promise<RedisConnection>;
  readonly prefix: string;
  /** Of all users of the connection: any EXEC ends every WATCH. */
  readonly turns: Turns;
}

/**
 * The hashes `<prefix>:features` and `<prefix>:segments`, and the string `<prefix>:$inited`. Source: the Redis stores of
 * LaunchDarkly's SDKs.
 */
export class RedisDriver implements StoreDriver {
  readonly #parts: RedisDriverParts;

  constructor(parts: RedisDriverParts) {
    this.#parts = parts;
  }

  fits(): boolean {
    return true;
  }

  async isInitialised(): Promise<boolean> {
    const { client } = await this.#parts.connection;
    return (await named(client.exists(this.#key(INITED)))) > 0;
  }

  read(): Promise<StoredData> {
    return this.#turn(async (client) => {
      const [flags, segments, inited, source] = await client
        .multi()
        .hGetAll(this.#hash('flags'))
        .hGetAll(this.#hash('segments'))
        .exists(this.#key(INITED))
        .get(this.#key(SOURCE))
        .execTyped();
      return {
        isInitialised: inited > 0,
        source: source ?? undefined,
        items: { flags: textsOf(flags), segments: textsOf(segments) },
      };
    });
  }

  async readItem(kind: ItemKind, key: string): Promise<StoredText | undefined> {
    const { client } = await this.#parts.connection;
    const text = await named(client.hGet(this.#hash(kind), key));
    return text === null ? undefined : { text, revision: text };
  }

  write(writes: readonly StoreWrite[], source?: string): Promise<'written' | 'conflict'> {
    return this.#turn(async (client) => {
      await client.watch(ITEM_KINDS.map((kind) => this.#hash(kind)));
      if (!(await this.#areUnchanged(client, writes))) {
        await client.unwatch();
        return 'conflict';
      }
      const multi = client.multi();
      for (const kind of ITEM_KINDS) {
        const ofKind = writes.filter((write) => write.kind === kind);
        const put = ofKind.flatMap(({ key, item }) => (item ? [[key, item.text] as [string, string]] : []));
        const removed = ofKind.flatMap(({ key, item }) => (item ? [] : [key]));
        if (put.length > 0) multi.hSet(this.#hash(kind), new Map(put));
        if (removed.length > 0) multi.hDel(this.#hash(kind), removed);
      }
      if (source !== undefined) multi.set(this.#key(SOURCE), source).set(this.#key(INITED), '');
      return exec(multi);
    });
  }

  async #areUnchanged(client: RedisClient, writes: readonly StoreWrite[]): Promise<boolean> {
    for (const kind of ITEM_KINDS) {
      const ofKind = writes.filter((write) => write.kind === kind);
      if (ofKind.length === 0) continue;
      const texts = await client.hmGet(
        this.#hash(kind),
        ofKind.map(({ key }) => key),
      );
      if (!ofKind.every(({ revision }, index) => (texts[index] ?? undefined) === revision)) return false;
    }
    return true;
  }

  async #turn<T>(action: (client: RedisClient) => Promise<T>): Promise<T> {
    const { client } = await this.#parts.connection;
    return this.#parts.turns.run(() => named(action(client)));
  }

  #hash(kind: ItemKind): string {
    return this.#key(STORED_KINDS[kind]);
  }

  #key(name: string): string {
    return `${this.#parts.prefix}:${name}`;
  }
}

function textsOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, StoredText> {
  return new Map(Object.entries(texts).map(([key, text]) => [key, { text, revision: text }]));
}

async function exec(multi: { exec(): Promise<unknown> }): Promise<'written' | 'conflict'> {
  const { WatchError } = await import('@redis/client');
  try {
    await multi.exec();
    return 'written';
  } catch (error) {
    if (error instanceof WatchError) return 'conflict';
    throw error;
  }
}

/** Gives the client's errors about its connection a common text; those of Redis have their own. */
async function named<T>(answer: Promise<T>): Promise<T> {
  const { ErrorReply } = await import('@redis/client');
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ErrorReply) throw error;
    throw new Error('no connection to Redis', { cause: error });
  }
}
