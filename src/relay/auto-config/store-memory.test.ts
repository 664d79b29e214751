import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Json } from '../domain/json.ts';
import type { BlobStore } from '../stores/blobs.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import { decrypt, encrypt } from './encryption.ts';
import { StoreMemory } from './store-memory.ts';

const CONFIGURATION: Json = { environments: { a: { envID: 'a', version: 1 } }, filters: { f: { key: 'few' } } };

function openMemory(secret = 'rel-secret') {
  const clock = new FakeClock();
  const log = new RecordingLog();
  let content: ReadonlyMap<string, Buffer> = new Map();
  const database = { writes: 0, error: undefined as Error | undefined };
  const blobs: BlobStore = {
    read: async () => content,
    async replace(next) {
      database.writes += 1;
      if (database.error) throw database.error;
      content = next;
    },
  };
  const open = (otherSecret = secret) => new StoreMemory({ blobs, secret: otherSecret, clock, log });
  const put = (next: ReadonlyMap<string, Buffer>) => {
    content = next;
  };
  return { memory: open(), open, put, database, clock, log, content: () => content };
}

test('a kept configuration is read again, and nothing of it is legible', async () => {
  const { memory, open, content } = openMemory();
  memory.keep(() => CONFIGURATION);
  await settle();
  assert.deepEqual([...content().keys()], ['env:a', 'filter:f']);
  assert.doesNotMatch(Buffer.concat([...content().values()]).toString('latin1'), /envID|few/);
  assert.deepEqual(await open().read(), CONFIGURATION);
});

test('nothing is kept before the first configuration', async () =>
  assert.equal(await openMemory().memory.read(), undefined));

describe('items of ld-relay are read', () => {
  /** As Go's cipher.AEAD seals it: nonce, text, tag. */
  const seal = (text: string) => {
    const nonce = Buffer.alloc(12, 7);
    const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update('rel-secret').digest(), nonce);
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  };
  for (const [name, text] of Object.entries({
    'with an envelope': '{"kind":"environment","modelVersion":2,"data":{"envID":"a"}}',
    'without one': '{"envID":"a"}',
  })) {
    test(name, async () => {
      const { memory, put } = openMemory();
      put(new Map([['env:a', seal(text)]]));
      assert.deepEqual(await memory.read(), { environments: { a: { envID: 'a' } }, filters: {} });
    });
  }
});

test('an item of another secret, or that is broken, is left out and logged', async () => {
  const { memory, open, put, log, content } = openMemory();
  memory.keep(() => CONFIGURATION);
  await settle();
  assert.equal(await open('rel-other').read(), undefined);
  put(
    new Map([...content(), ['env:b', Buffer.from('short')], ['env:c', Buffer.alloc(40)], ['news:d', Buffer.alloc(1)]]),
  );
  assert.deepEqual(await open().read(), CONFIGURATION);
  assert.deepEqual(
    log.lines.map(({ fields }) => fields.item),
    ['env:a', 'filter:f', 'env:b', 'env:c'],
  );
});

test('a database that fails is tried again every five seconds, with the last configuration', async () => {
  const { memory, database, clock, log, open } = openMemory();
  database.error = new Error('no connection');
  memory.keep(() => ({ environments: { old: {} } }));
  await settle();
  memory.keep(() => CONFIGURATION);
  clock.advance(5000);
  await settle();
  database.error = undefined;
  clock.advance(5000);
  await settle();
  assert.deepEqual([database.writes, await open().read()], [3, CONFIGURATION]);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['error', 'debug'],
  );
});

test('the last configuration is written at the end', async () => {
  const { memory, database, open } = openMemory();
  database.error = new Error('no connection');
  memory.keep(() => CONFIGURATION);
  await settle();
  database.error = undefined;
  await memory.close();
  assert.deepEqual(await open().read(), CONFIGURATION);
});

describe('encryption', () => {
  test('has a nonce of its own each time', () => {
    assert.notDeepEqual(encrypt('text', 'secret'), encrypt('text', 'secret'));
    assert.equal(decrypt(encrypt('tëxt', ' secret\n'), 'secret'), 'tëxt');
  });

  test('notices a changed byte', () => {
    const bytes = encrypt('text', 'secret');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    assert.throws(() => decrypt(bytes, 'secret'));
  });
});
