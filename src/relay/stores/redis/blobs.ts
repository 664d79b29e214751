import type { BlobStore } from '../blobs.ts';
import type { Turns } from '../turns.ts';
import type { RedisConnection } from './client.ts';

export interface RedisBlobsParts {
  readonly connection: Promise<RedisConnection>;
  readonly hash: string;
  /** Of all users of the connection: any EXEC ends every WATCH. */
  readonly turns: Turns;
}

/** The fields of one hash. */
export class RedisBlobs implements BlobStore {
  readonly #parts: RedisBlobsParts;

  constructor(parts: RedisBlobsParts) {
    this.#parts = parts;
  }

  async read(): Promise<ReadonlyMap<string, Buffer>> {
    const { connection, hash } = this.#parts;
    const { client } = await connection;
    const { RESP_TYPES } = await import('@redis/client');
    const found = await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).hGetAll(hash);
    return new Map(Object.entries(found));
  }

  async replace(blobs: ReadonlyMap<string, Buffer>): Promise<void> {
    const { connection, hash, turns } = this.#parts;
    const { client } = await connection;
    await turns.run(async () => {
      const multi = client.multi().del(hash);
      if (blobs.size > 0) multi.hSet(hash, new Map(blobs));
      await multi.exec();
    });
  }
}
