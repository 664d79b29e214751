import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Cleanup } from '../../../testing/processes.ts';

/** The calls of Consul's KV store that the relay makes, as its documentation has them. */
export class FakeConsul {
  readonly pairs = new Map<string, { readonly value: string; readonly index: number }>();
  /** Of each request, in order. */
  readonly tokens: (string | undefined)[] = [];
  #index = 10;
  #url = '';

  get url(): string {
    return this.#url;
  }

  static async start(t: Cleanup): Promise<FakeConsul> {
    const fake = new FakeConsul();
    const server = createServer(async (request, response) => {
      const { status, body } = await fake.#answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    fake.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return fake;
  }

  set(key: string, value: string): void {
    this.pairs.set(key, { value, index: ++this.#index });
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: string }> {
    this.tokens.push(request.headers['x-consul-token'] as string | undefined);
    const { pathname, searchParams } = new URL(request.url ?? '', this.#url);
    const key = decodeURIComponent(pathname.replace('/v1/kv/', ''));
    const body = await text(request);
    if (request.method === 'GET') return this.#read(key, searchParams.has('recurse'));
    const index = this.pairs.get(key)?.index ?? 0;
    const cas = searchParams.get('cas');
    if (cas !== null && Number(cas) !== index) return { status: 200, body: 'false' };
    if (request.method === 'PUT') this.set(key, body);
    else this.pairs.delete(key);
    return { status: 200, body: 'true' };
  }

  #read(key: string, isRecursive: boolean): { status: number; body: string } {
    const found = [...this.pairs].filter(([one]) => (isRecursive ? one.startsWith(key) : one === key));
    if (found.length === 0) return { status: 404, body: '' };
    const pairs = found.map(([Key, { value, index }]) => ({
      Key,
      Value: value === '' ? null : Buffer.from(value).toString('base64'),
      ModifyIndex: index,
    }));
    return { status: 200, body: JSON.stringify(pairs) };
  }
}
