import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../../testing/processes.ts';
import { runTransaction } from './transactions.ts';

/** A DynamoDB in memory: dynalite, and the transactions that it lacks. */
export interface TestDynamoDb {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Refuses connections. */
  stop(): Promise<void>;
  /** Listens again on the same port, with the same data. */
  start(): Promise<void>;
}

const dynalite = createRequire(import.meta.url)('dynalite') as (options: object) => Server;

const CREDENTIALS = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

/** Starts a DynamoDB with one table in LaunchDarkly's form, and sets AWS's variables of this process. */
export async function startDynamoDb(t: Cleanup, table: string): Promise<TestDynamoDb> {
  Object.assign(process.env, CREDENTIALS);
  const database = dynalite({ createTableMs: 0 });
  const databaseUrl = `http://127.0.0.1:${await listen(database, 0)}`;
  const front = new Front(databaseUrl);
  const port = await front.listen(0);
  t.after(async () => {
    await front.close();
    await close(database);
  });
  await front.send('CreateTable', {
    TableName: table,
    KeySchema: [
      { AttributeName: 'namespace', KeyType: 'HASH' },
      { AttributeName: 'key', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'namespace', AttributeType: 'S' },
      { AttributeName: 'key', AttributeType: 'S' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => front.close(),
    start: async () => void (await front.listen(port)),
  };
}

/** Passes requests on, one at a time, so that transactions are atomic. */
class Front {
  readonly #databaseUrl: string;
  #server: Server | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  listen(port: number): Promise<number> {
    this.#server = createServer((request, response) => {
      // The client may go away in the middle of its request.
      this.#last = this.#last.then(() => this.#answer(request, response)).catch(() => response.destroy());
    });
    return listen(this.#server, port);
  }

  async close(): Promise<void> {
    if (this.#server) await close(this.#server);
    this.#server = undefined;
    // A write that is still in the database would fail when that closes, outside of every test.
    await this.#last;
  }

  /** The answer of the database, without regard to its status. */
  async send(operation: string, input: object): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(this.#databaseUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        authorization: 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c',
        'x-amz-date': 'now',
      },
      body: JSON.stringify(input),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const input = JSON.parse(Buffer.concat(chunks).toString()) as object;
    const send = (name: string, body: object) => this.send(name, body);
    const { status, text } =
      operation === 'TransactWriteItems' ? await runTransaction(input, send) : await send(operation, input);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
