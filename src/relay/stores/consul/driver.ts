import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../kernel/clock.ts';
import { withDeadline } from '../../../kernel/deadline.ts';
import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { HttpAnswer } from '../../../kernel/http-client/exchange.ts';
import { describeFailure } from '../../../kernel/http-client/failure.ts';
import type { SendsRequests } from '../../../kernel/http-client/http-client.ts';
import type { ItemKind } from '../../flag-store.ts';
import {
  INITED,
  SOURCE,
  STORED_KINDS,
  type StoreDriver,
  type StoredData,
  type StoredText,
  type StoreWrite,
} from '../driver.ts';
import type { ConsulOptions } from '../options.ts';
import { writeEach } from '../write-each.ts';

export interface ConsulDriverParts {
  readonly options: ConsulOptions;
  readonly prefix: string;
  readonly http: SendsRequests;
  readonly clock: Clock;
}

/** As in the answers of Consul. */
interface Pair {
  readonly Key: string;
  /** In base64; null if empty. */
  readonly Value: string | null;
  readonly ModifyIndex: number;
}

const REQUEST_TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
/** Consul's default for one value. */
const MAX_ITEM_BYTES = 512 * 1024;

/**
 * The keys `<prefix>/features/<key>`, `<prefix>/segments/<key>` and `<prefix>/$inited`. Sources: the Consul stores of
 * LaunchDarkly's SDKs; Consul's API of the KV store.
 */
export class ConsulDriver implements StoreDriver {
  readonly #parts: ConsulDriverParts;

  constructor(parts: ConsulDriverParts) {
    this.#parts = parts;
  }

  fits({ item }: StoreWrite): boolean {
    return !item || Buffer.byteLength(item.text) <= MAX_ITEM_BYTES;
  }

  async isInitialised(): Promise<boolean> {
    return (await this.#list(INITED)).length > 0;
  }

  async read(): Promise<StoredData> {
    const [isInitialised, [source], flags, segments] = await Promise.all([
      this.isInitialised(),
      this.#list(SOURCE),
      this.#readKind('flags'),
      this.#readKind('segments'),
    ]);
    return { isInitialised, source: source && textOf(source).text, items: { flags, segments } };
  }

  async readItem(kind: ItemKind, key: string): Promise<StoredText | undefined> {
    const [pair] = await this.#list(`${STORED_KINDS[kind]}/${key}`);
    return pair && textOf(pair);
  }

  async write(writes: readonly StoreWrite[], source?: string): Promise<'written' | 'conflict'> {
    const result = await writeEach(writes, async ({ kind, key, revision = 0, item }) => {
      const path = `${this.#path(`${STORED_KINDS[kind]}/${key}`)}?cas=${revision}`;
      const answer = await this.#send(item ? 'PUT' : 'DELETE', path, item?.text);
      return answer.text.trim() === 'true';
    });
    if (result === 'conflict' || source === undefined) return result;
    await this.#send('PUT', this.#path(SOURCE), source);
    await this.#send('PUT', this.#path(INITED), '');
    return 'written';
  }

  async #readKind(kind: ItemKind): Promise<ReadonlyMap<string, StoredText>> {
    const folder = `${STORED_KINDS[kind]}/`;
    const start = `${this.#parts.prefix}/${folder}`;
    const pairs = await this.#list(folder, '?recurse');
    return new Map(pairs.map((pair) => [pair.Key.slice(start.length), textOf(pair)]));
  }

  async #list(name: string, query = ''): Promise<readonly Pair[]> {
    const { status, text } = await this.#send('GET', `${this.#path(name)}${query}`);
    return status === 404 ? [] : (JSON.parse(text) as Pair[]);
  }

  #path(name: string): string {
    return `/v1/kv/${`${this.#parts.prefix}/${name}`.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** 404 is an answer to a GET. */
  async #send(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: string): Promise<HttpAnswer> {
    const { options, http, clock } = this.#parts;
    const token = await this.#token();
    const headers: Record<string, string> = token ? { 'x-consul-token': token } : {};
    const request = { method, url: `${options.url}${path}`, headers, body, maxBytes: MAX_ANSWER_BYTES };
    const answer = await withDeadline({ clock, ms: REQUEST_TIMEOUT_MS }, (signal) =>
      http.send({ ...request, signal }),
    ).catch((error) => {
      throw new Error(`no answer from Consul: ${describeFailure(error)}`);
    });
    if (!answer.isOk && !(method === 'GET' && answer.status === 404))
      throw new Error(`Consul answered with status ${answer.status}`);
    return answer;
  }

  async #token(): Promise<string | undefined> {
    const { token, tokenFile } = this.#parts.options;
    if (tokenFile === undefined) return token;
    try {
      return (await readFile(tokenFile, 'utf8')).trim();
    } catch (error) {
      throw new Error(`cannot read the token of Consul in ${tokenFile}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  }
}

function textOf({ Value, ModifyIndex }: Pair): StoredText {
  return { text: Buffer.from(Value ?? '', 'base64').toString(), revision: ModifyIndex };
}
