import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
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
import { writeEach } from '../write-each.ts';

export interface DynamoDbDriverParts {
  readonly client: Promise<DynamoDB>;
  readonly table: string;
  /** Empty: none. */
  readonly prefix: string;
}

type Attributes = Record<string, AttributeValue>;

/** DynamoDB's limit is 400 KB, names included; the same number as in LaunchDarkly's SDKs. */
const MAX_ITEM_BYTES = 400_000;
/** Of an item beside its texts. */
const OVERHEAD_BYTES = 100 + 'namespace'.length + 'key'.length + 'version'.length + 'item'.length;

/**
 * Items under the keys `namespace` and `key`, with the attributes `version` and `item`. Source: the DynamoDB stores of
 * LaunchDarkly's SDKs.
 */
export class DynamoDbDriver implements StoreDriver {
  readonly #parts: DynamoDbDriverParts;

  constructor(parts: DynamoDbDriverParts) {
    this.#parts = parts;
  }

  fits({ kind, key, item }: StoreWrite): boolean {
    if (!item) return true;
    const texts = [this.#namespace(STORED_KINDS[kind]), key, String(item.version), item.text];
    return texts.reduce((sum, text) => sum + Buffer.byteLength(text), OVERHEAD_BYTES) <= MAX_ITEM_BYTES;
  }

  async isInitialised(): Promise<boolean> {
    return (await this.#get(this.#mark(INITED))) !== undefined;
  }

  async read(): Promise<StoredData> {
    const [isInitialised, source, flags, segments] = await Promise.all([
      this.isInitialised(),
      this.#get(this.#mark(SOURCE)),
      this.#query('flags'),
      this.#query('segments'),
    ]);
    return { isInitialised, source: source?.item?.S, items: { flags, segments } };
  }

  async readItem(kind: ItemKind, key: string): Promise<StoredText | undefined> {
    const found = await this.#get(this.#place(kind, key));
    return found && textOf(found);
  }

  async write(writes: readonly StoreWrite[], source?: string): Promise<'written' | 'conflict'> {
    const result = await writeEach(writes, (write) => this.#writeItem(write));
    if (result === 'conflict' || source === undefined) return result;
    await this.#put({ ...this.#mark(SOURCE), item: { S: source } });
    await this.#put(this.#mark(INITED));
    return 'written';
  }

  async #writeItem({ kind, key, revision, item }: StoreWrite): Promise<boolean> {
    const client = await this.#parts.client;
    const place = this.#place(kind, key);
    // An item without a version was not written by LaunchDarkly's SDKs.
    const condition =
      revision === undefined || revision === ''
        ? { ConditionExpression: 'attribute_not_exists(#version)' }
        : {
            ConditionExpression: '#version = :revision',
            ExpressionAttributeValues: { ':revision': { N: String(revision) } },
          };
    const request = { TableName: this.#parts.table, ExpressionAttributeNames: { '#version': 'version' }, ...condition };
    try {
      if (item) {
        const content = { version: { N: String(item.version) }, item: { S: item.text } };
        await client.putItem({ ...request, Item: { ...place, ...content } });
      } else await client.deleteItem({ ...request, Key: place });
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  async #put(item: Attributes): Promise<void> {
    const client = await this.#parts.client;
    await client.putItem({ TableName: this.#parts.table, Item: item });
  }

  async #get(key: Attributes): Promise<Attributes | undefined> {
    const client = await this.#parts.client;
    return (await client.getItem({ TableName: this.#parts.table, Key: key, ConsistentRead: true })).Item;
  }

  async #query(kind: ItemKind): Promise<ReadonlyMap<string, StoredText>> {
    const client = await this.#parts.client;
    const found = new Map<string, StoredText>();
    let from: Attributes | undefined;
    do {
      const page = await client.query({
        TableName: this.#parts.table,
        ConsistentRead: true,
        KeyConditionExpression: '#namespace = :namespace',
        ExpressionAttributeNames: { '#namespace': 'namespace' },
        ExpressionAttributeValues: { ':namespace': { S: this.#namespace(STORED_KINDS[kind]) } },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      });
      for (const item of page.Items ?? []) found.set(item.key?.S ?? '', textOf(item));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return found;
  }

  #place(kind: ItemKind, key: string): Attributes {
    return { namespace: { S: this.#namespace(STORED_KINDS[kind]) }, key: { S: key } };
  }

  #mark(name: string): Attributes {
    const mark = { S: this.#namespace(name) };
    return { namespace: mark, key: mark };
  }

  #namespace(name: string): string {
    const { prefix } = this.#parts;
    return prefix === '' ? name : `${prefix}:${name}`;
  }
}

function textOf({ item, version }: Attributes): StoredText {
  return { text: item?.S ?? '', revision: version?.N ?? '' };
}
