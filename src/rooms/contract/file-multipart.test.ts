import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutateBytes } from '../../testing/mutation.ts';
import { Random } from '../../testing/random.ts';
import { boundaryOf, readFormFile } from './file-multipart.ts';

const BOUNDARY = '----b';

interface Part {
  readonly head: string;
  readonly body: string | Buffer;
}

function formOf(...parts: readonly Part[]): Buffer {
  const pieces = parts.map(({ head, body }) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]),
  );
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 65_536) {
  const file = await readFormFile(inPieces(bytes, size), BOUNDARY);
  if (!file.ok) return file.reason;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.value.chunks) chunks.push(chunk);
  return { name: file.value.name, content: Buffer.concat(chunks).toString('latin1') };
}

const FILE: Part = {
  head: 'name="file"; filename="a.txt"\r\nContent-Type: text/plain',
  body: 'x\r\n--\r\n----b\r\n-----\r\n',
};

test('a file is read out of a form, cut at any place', async () => {
  const form = formOf({ head: 'name="note"', body: 'before' }, FILE, { head: 'name="more"', body: 'after' });
  for (const size of [1, 2, 3, 5, 7, 11, 64, 10_000])
    assert.deepEqual(await read(form, size), { name: 'a.txt', content: FILE.body }, `${size}`);
});

test('an empty file, and one of all bytes', async () => {
  const all = Buffer.from(Array.from({ length: 256 * 40 }, (_, n) => n % 256));
  for (const size of [1, 100, 10_000]) {
    assert.deepEqual(await read(formOf({ ...FILE, body: '' }), size), { name: 'a.txt', content: '' });
    assert.deepEqual(await read(formOf({ ...FILE, body: all }), size), {
      name: 'a.txt',
      content: all.toString('latin1'),
    });
  }
});

for (const [head, name] of [
  ['name="file"; filename="Grüße.txt"', 'Grüße.txt'],
  ['name="file"; filename="a%22b%0D%0A.txt"', 'a"b\r\n.txt'],
  ['name="file"; filename="a\\"b.txt"', 'a"b.txt'],
  ['name="file"; filename="../x"', '../x'],
  ['filename=plain.txt; name=file', 'plain.txt'],
  ['name="file"', 'file'],
  ['name="file"; filename=""', ''],
] as const) {
  test(`the name in ${head}`, async () => {
    assert.deepEqual(await read(formOf({ head, body: 'x' })), { name, content: 'x' });
  });
}

test('a form without a file, a form that is cut off, and an invalid form', async () => {
  assert.match(String(await read(formOf({ head: 'name="other"', body: 'x' }))), /no field "file"/);
  assert.match(String(await read(Buffer.from('hello'))), /not a complete multipart/);
  assert.match(String(await read(Buffer.alloc(0))), /not a complete multipart/);
  assert.match(
    String(await read(formOf({ head: 'name="other"', body: 'x'.repeat(200_000) }, FILE))),
    /not a complete multipart/,
  );
  const whole = formOf(FILE);
  for (let end = whole.indexOf('x\r\n') + 1; end < whole.length - 6; end++)
    await assert.rejects(read(whole.subarray(0, end)), /ends within the file/, `${end}`);
});

test('a spoiled form is read, refused or breaks off, and never hangs', async () => {
  const random = new Random(9);
  for (let n = 0; n < 500; n++) {
    const bytes = mutateBytes(random, formOf({ head: 'name="note"', body: 'before' }, FILE));
    try {
      await read(bytes, random.int(1, 50));
    } catch (error) {
      assert.match((error as Error).message, /ends within the file/);
    }
  }
});

test('the boundary of a content type', () => {
  assert.equal(boundaryOf('multipart/form-data; boundary=----abc'), '----abc');
  assert.equal(boundaryOf('multipart/form-data; charset=utf-8; Boundary="a b"; x=y'), 'a b');
  assert.equal(boundaryOf('multipart/form-data'), undefined);
  assert.equal(boundaryOf(`multipart/form-data; boundary="${'x'.repeat(71)}"`), undefined);
});
