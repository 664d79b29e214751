import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { BlobStore } from '../stores/blobs.ts';
import { decrypt, encrypt } from './encryption.ts';
import type { ConfigurationMemory } from './memory.ts';
import type { ConfigurationKind } from './message.ts';

export interface StoreMemoryParts {
  readonly blobs: BlobStore;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
}

const RETRY_MS = 5000;

interface ItemForm {
  readonly items: ConfigurationKind;
  readonly prefix: string;
  readonly kind: string;
}

const FORMS: readonly ItemForm[] = [
  { items: 'environments', prefix: 'env:', kind: 'environment' },
  { items: 'filters', prefix: 'filter:', kind: 'filter' },
];
/** Every ld-relay with such a memory reads it. */
const MODEL_VERSION = 1;

/**
 * Keeps the configuration in a database, each item encrypted: `{"kind":"environment","modelVersion":1,"data":…}`, as ld-relay
 * does. Source: ld-relay's internal/autoconfigcache.
 */
export class StoreMemory implements ConfigurationMemory {
  readonly #parts: StoreMemoryParts;
  /** What is to be written; undefined: nothing. */
  #json: (() => Json) | undefined;
  #writing: Promise<void> | undefined;
  #cancelRetry: CancelTimer | undefined;
  #isClosed = false;
  #lastFailure: string | undefined;

  constructor(parts: StoreMemoryParts) {
    this.#parts = parts;
  }

  async read(): Promise<Json | undefined> {
    const found = { environments: new Map<string, Json>(), filters: new Map<string, Json>() };
    for (const [name, bytes] of await this.#parts.blobs.read()) {
      const form = FORMS.find(({ prefix }) => name.startsWith(prefix));
      const data = form && this.#readItem(name, bytes);
      if (data !== undefined) found[form?.items ?? 'filters'].set(name.slice(form?.prefix.length), data);
    }
    if (found.environments.size === 0) return undefined;
    return { environments: Object.fromEntries(found.environments), filters: Object.fromEntries(found.filters) };
  }

  keep(json: () => Json): void {
    this.#json = json;
    this.#work();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    await this.#writing;
    if (this.#json) await this.#write(this.#json);
  }

  #readItem(name: string, bytes: Buffer): Json | undefined {
    try {
      const item: Json = JSON.parse(decrypt(bytes, this.#parts.secret));
      // Early versions of ld-relay have no envelope.
      return isJsonObject(item) && item.data !== undefined ? item.data : item;
    } catch {
      this.#parts.log.warn('an item of the stored configuration cannot be read: was it encrypted with another key?', {
        item: name,
      });
      return undefined;
    }
  }

  /** One write at a time; changes meanwhile are written together. */
  #work(): void {
    if (this.#writing || this.#cancelRetry || this.#isClosed || !this.#json) return;
    const json = this.#json;
    this.#json = undefined;
    this.#writing = this.#write(json).then((isWritten) => {
      this.#writing = undefined;
      if (isWritten) return this.#work();
      this.#json ??= json;
      if (this.#isClosed) return;
      this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => {
        this.#cancelRetry = undefined;
        this.#work();
      });
    });
  }

  async #write(json: () => Json): Promise<boolean> {
    const { blobs, log } = this.#parts;
    try {
      await blobs.replace(this.#encode(json()));
      this.#lastFailure = undefined;
      return true;
    } catch (error) {
      const failure = messageOf(error) || (systemCodeOf(error) ?? 'unknown');
      log[failure === this.#lastFailure ? 'debug' : 'error']('the configuration cannot be stored', { error: failure });
      this.#lastFailure = failure;
      return false;
    }
  }

  #encode(json: Json): ReadonlyMap<string, Buffer> {
    const blobs = new Map<string, Buffer>();
    for (const { items, prefix, kind } of FORMS) {
      const byId = isJsonObject(json) ? json[items] : undefined;
      for (const [id, data] of Object.entries(isJsonObject(byId) ? byId : {})) {
        const envelope = JSON.stringify({ kind, modelVersion: MODEL_VERSION, data });
        blobs.set(`${prefix}${id}`, encrypt(envelope, this.#parts.secret));
      }
    }
    return blobs;
  }
}
