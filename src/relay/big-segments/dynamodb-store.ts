import type { AttributeValue, DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { BigSegmentPatch, BigSegmentStore, ListedSegments } from './store.ts';

export interface DynamoDbBigSegmentParts {
  /** A failure is that of every operation. */
  readonly client: Promise<DynamoDBClient>;
  readonly table: string;
  /** Of the namespaces; empty: none. */
  readonly prefix: string;
}

/** Besides the check of the cursor; the number in LaunchDarkly's Relay Proxy. */
const CHANGES_PER_TRANSACTION = 24;
/** Another relay was faster, or is writing at this moment. */
const CONFLICTS: readonly (string | undefined)[] = ['ConditionalCheckFailed', 'TransactionConflict'];

type Item = Record<string, AttributeValue>;

/** Big segments in DynamoDB: an item for each context, and one for cursor and time of synchronisation. */
export class DynamoDbBigSegmentStore implements BigSegmentStore {
  readonly #client: Promise<DynamoDBClient>;
  readonly #sdk = import('@aws-sdk/client-dynamodb');
  readonly #table: string;
  readonly #metadata: Item;
  readonly #contexts: string;

  constructor({ client, table, prefix }: DynamoDbBigSegmentParts) {
    this.#client = client;
    this.#table = table;
    const namespace = (name: string) => (prefix === '' ? name : `${prefix}:${name}`);
    const metadata = { S: namespace('big_segments_metadata') };
    this.#metadata = { namespace: metadata, key: metadata };
    this.#contexts = namespace('big_segments_user');
    client.catch(() => {});
  }

  async cursor(): Promise<string> {
    const { lastVersion } = await this.#read(this.#metadata);
    return lastVersion?.S ?? '';
  }

  /**
   * Writes the cursor with the last changes. A patch that was broken off is applied again, as it changes nothing the second
   * time. Without a cursor the first patch is the one without a previous version.
   */
  async applyPatch(patch: BigSegmentPatch): Promise<boolean> {
    const { TransactWriteItemsCommand, TransactionCanceledException } = await this.#sdk;
    const client = await this.#client;
    const changes = this.#changesOf(patch);
    try {
      for (let start = 0; start === 0 || start < changes.length; start += CHANGES_PER_TRANSACTION) {
        const end = start + CHANGES_PER_TRANSACTION;
        const TransactItems = [this.#cursorItem(patch, end >= changes.length), ...changes.slice(start, end)];
        await client.send(new TransactWriteItemsCommand({ TransactItems }));
      }
      return true;
    } catch (error) {
      const isConflict =
        error instanceof TransactionCanceledException &&
        error.CancellationReasons?.some(({ Code }) => CONFLICTS.includes(Code));
      if (isConflict) return false;
      throw error;
    }
  }

  async setSynchronizedOn(ms: number): Promise<void> {
    const { UpdateItemCommand } = await this.#sdk;
    await (await this.#client).send(
      new UpdateItemCommand({
        TableName: this.#table,
        Key: this.#metadata,
        UpdateExpression: 'SET synchronizedOn = :ms',
        ExpressionAttributeValues: { ':ms': { N: String(ms) } },
      }),
    );
  }

  async synchronizedOn(): Promise<number | undefined> {
    const { synchronizedOn } = await this.#read(this.#metadata);
    return synchronizedOn?.N === undefined ? undefined : Number(synchronizedOn.N);
  }

  async listedSegments(hash: string): Promise<ListedSegments> {
    const { included, excluded } = await this.#read(this.#contextKey(hash));
    return { included: included?.SS ?? [], excluded: excluded?.SS ?? [] };
  }

  /** The client needs no closing. */
  async close(): Promise<void> {}

  async #read(key: Item): Promise<Item> {
    const { GetItemCommand } = await this.#sdk;
    const client = await this.#client;
    const { Item } = await client.send(new GetItemCommand({ TableName: this.#table, Key: key, ConsistentRead: true }));
    return Item ?? {};
  }

  /** Checks that the patch is the next one, and moves the cursor at its end. */
  #cursorItem({ previousVersion, version }: BigSegmentPatch, isLast: boolean): TransactWriteItem {
    const place = {
      TableName: this.#table,
      Key: this.#metadata,
      ConditionExpression: `${previousVersion === '' ? 'attribute_not_exists(#cursor) OR ' : ''}#cursor = :previous`,
      ExpressionAttributeNames: { '#cursor': 'lastVersion' },
    };
    const previous = { ':previous': { S: previousVersion } };
    if (!isLast) return { ConditionCheck: { ...place, ExpressionAttributeValues: previous } };
    const values = { ...previous, ':next': { S: version } };
    return { Update: { ...place, UpdateExpression: 'SET #cursor = :next', ExpressionAttributeValues: values } };
  }

  /** One for each context: a transaction may not name an item twice. */
  #changesOf({ segmentId, included, excluded }: BigSegmentPatch): readonly TransactWriteItem[] {
    const actions = new Map<string, ListActions>();
    const note = (hashes: readonly string[], list: keyof ListActions, action: 'ADD' | 'DELETE') => {
      for (const hash of hashes) actions.set(hash, { ...actions.get(hash), [list]: action });
    };
    note(included.add, 'included', 'ADD');
    note(included.remove, 'included', 'DELETE');
    note(excluded.add, 'excluded', 'ADD');
    note(excluded.remove, 'excluded', 'DELETE');
    return [...actions].map(([hash, lists]) => ({
      Update: {
        TableName: this.#table,
        Key: this.#contextKey(hash),
        UpdateExpression: printActions(lists),
        ExpressionAttributeNames: Object.fromEntries(Object.keys(lists).map((list) => [`#${list}`, list])),
        ExpressionAttributeValues: { ':segment': { SS: [segmentId] } },
      },
    }));
  }

  #contextKey(hash: string): Item {
    return { namespace: { S: this.#contexts }, key: { S: hash } };
  }
}

/** What happens to the lists of one context. */
interface ListActions {
  readonly included?: 'ADD' | 'DELETE';
  readonly excluded?: 'ADD' | 'DELETE';
}

function printActions({ included, excluded }: ListActions): string {
  if (included === excluded) return `${included} #included :segment, #excluded :segment`;
  const actions = [included && `${included} #included :segment`, excluded && `${excluded} #excluded :segment`];
  return actions.filter(Boolean).join(' ');
}
