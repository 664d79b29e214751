import type { AttributeValue, DynamoDB, WriteRequest } from '@aws-sdk/client-dynamodb';
import type { BlobStore } from '../blobs.ts';

export interface DynamoDbBlobsParts {
  readonly client: Promise<DynamoDB>;
  readonly table: string;
  readonly namespace: string;
}

type Attributes = Record<string, AttributeValue>;

/** DynamoDB's limit. */
const MAX_BATCH = 25;

/** The items of one namespace, with the attribute `item`. */
export class DynamoDbBlobs implements BlobStore {
  readonly #parts: DynamoDbBlobsParts;

  constructor(parts: DynamoDbBlobsParts) {
    this.#parts = parts;
  }

  async read(): Promise<ReadonlyMap<string, Buffer>> {
    const { client, table, namespace } = this.#parts;
    const database = await client;
    const found = new Map<string, Buffer>();
    let from: Attributes | undefined;
    do {
      const page = await database.query({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: '#namespace = :namespace',
        ExpressionAttributeNames: { '#namespace': 'namespace' },
        ExpressionAttributeValues: { ':namespace': { S: namespace } },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      });
      for (const { key, item } of page.Items ?? [])
        if (key?.S !== undefined && item?.B) found.set(key.S, Buffer.from(item.B));
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return found;
  }

  async replace(blobs: ReadonlyMap<string, Buffer>): Promise<void> {
    const placeOf = (key: string) => ({ namespace: { S: this.#parts.namespace }, key: { S: key } });
    const stale = [...(await this.read()).keys()].filter((key) => !blobs.has(key));
    await this.#write([
      ...[...blobs].map(([key, bytes]) => ({ PutRequest: { Item: { ...placeOf(key), item: { B: bytes } } } })),
      ...stale.map((key) => ({ DeleteRequest: { Key: placeOf(key) } })),
    ]);
  }

  async #write(requests: readonly WriteRequest[]): Promise<void> {
    const { client, table } = this.#parts;
    const database = await client;
    for (let start = 0; start < requests.length; start += MAX_BATCH) {
      const RequestItems = { [table]: requests.slice(start, start + MAX_BATCH) };
      const { UnprocessedItems = {} } = await database.batchWriteItem({ RequestItems });
      if (Object.keys(UnprocessedItems).length > 0) throw new Error('DynamoDB did not take all items');
    }
  }
}
