import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { packTar } from '../testing/launchdarkly/archive.ts';
import { readTar, TarError, type TarLimits } from './tar.ts';

const LIMITS: TarLimits = { maxFileBytes: 2 ** 20, maxTotalBytes: 2 ** 22 };

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

interface ReadOptions {
  /** Of the chunks. */
  readonly size?: number;
  readonly limits?: TarLimits;
  readonly wants?: (name: string) => boolean;
}

async function read(
  bytes: Buffer,
  { size = 64 * 1024, limits = LIMITS, wants = () => true }: ReadOptions = {},
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name, content } of readTar(chunked(bytes, size), wants, limits)) files[name] = content.toString();
  return files;
}

const LONG = `${'folder-'.repeat(10)}/${'name-'.repeat(30)}.json`;
/** Long names, which need their own header, before short ones. */
const FILES = { 'a.json': '{"a":1}', [LONG]: 'long', empty: '', 'Grüße.json': 'x'.repeat(1000), 'b.json': '2' };

/** Packs files with the tar of the system. */
function packWithTar(t: TestContext, files: Readonly<Record<string, string>>, options: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return execFileSync('tar', [...options, '-C', folder, '-cf', '-', ...Object.keys(files)], { maxBuffer: 2 ** 24 });
}

describe('an archive by tar', () => {
  for (const format of ['gnu', 'pax', 'ustar']) {
    test(`in the format ${format} is read`, async (t) => {
      const { [LONG]: _, ...shorter } = FILES;
      const files = format === 'ustar' ? { ...shorter, [`${'f'.repeat(90)}/${'n'.repeat(90)}`]: 'split' } : FILES;
      assert.deepEqual(await read(packWithTar(t, files, [`--format=${format}`])), files);
    });
  }

  test('is read however its bytes are cut', async (t) => {
    const bytes = packWithTar(t, FILES, ['--format=pax']);
    for (const size of [1, 511, 512, 513]) assert.deepEqual(await read(bytes, { size }), FILES);
  });
});

test('only wanted regular files are read', async () => {
  const bytes = packTar([
    { name: 'folder/', content: '', type: '5' },
    { name: 'link', content: '', type: '2' },
    { name: 'skipped', content: 'x'.repeat(2000) },
    { name: 'wanted', content: 'yes' },
    { name: 'old', content: 'old', type: '\0' },
  ]);
  assert.deepEqual(await read(bytes, { wants: (name) => name !== 'skipped' }), { wanted: 'yes', old: 'old' });
});

test('an unwanted file may be of any size', async () => {
  const bytes = packTar([
    { name: 'big', content: Buffer.alloc(100) },
    { name: 'a', content: '1' },
  ]);
  const limits = { ...LIMITS, maxFileBytes: 10 };
  assert.deepEqual(await read(bytes, { limits, wants: (name) => name === 'a' }), { a: '1' });
});

test('blocks of zeros at the end may be missing, and the bytes after them are not read', async () => {
  const entry = [{ name: 'a', content: '1' }];
  assert.deepEqual(await read(packTar(entry, Buffer.alloc(0))), { a: '1' });
  assert.deepEqual(await read(Buffer.concat([packTar(entry), packTar([{ name: 'b', content: '2' }])])), { a: '1' });
});

function pax(text: string) {
  return packTar([
    { name: 'pax', content: text, type: 'x' },
    { name: 'a', content: '1' },
  ]);
}

const WHOLE = packTar([{ name: 'a.json', content: 'x'.repeat(600) }]);
const REFUSED: Record<string, [bytes: Buffer, reason: RegExp, limits?: Partial<TarLimits>]> = {
  'something else': [Buffer.from('{"flags":{}}'.repeat(100)), /not a tar archive/],
  'a header that was changed': [Buffer.concat([Buffer.from('b'), WHOLE.subarray(1)]), /not a tar archive/],
  'an end in a header': [WHOLE.subarray(0, 200), /it ends at a header/],
  'an end in a file': [WHOLE.subarray(0, 900), /it ends in a\.json/],
  'an end before a file': [WHOLE.subarray(0, 512), /it ends in a\.json/],
  'an end after a file, in its last block': [WHOLE.subarray(0, 512 + 700), /it ends/],
  'a file beyond the limit': [WHOLE, /a\.json is bigger than 599 bytes/, { maxFileBytes: 599 }],
  'a file with a declared size beyond the limit': [
    packTar([{ name: 'a', content: '', size: 0o77777777777 }]),
    /a is bigger than/,
  ],
  'an archive beyond the limit': [WHOLE, /unpacked it is bigger than 1024 bytes/, { maxTotalBytes: 1024 }],
  'an endless name': [packTar([{ name: 'L', content: 'x'.repeat(70_000), type: 'L' }]), /a name takes more than/],
  'a pax record of no length': [pax('0 path=b\n'), /pax header is broken/],
  'a pax record beyond its header': [pax('99 path=b\n'), /pax header is broken/],
  'a pax record without a space': [pax('5path'), /pax header is broken/],
  'an invalid pax size': [pax('12 size=-1x\n'), /pax header is broken/],
};

describe('refused is', () => {
  for (const [name, [bytes, reason, limits]] of Object.entries(REFUSED)) {
    test(name, () =>
      assert.rejects(read(bytes, { limits: { ...LIMITS, ...limits } }), (error: Error) => {
        assert.ok(error instanceof TarError, error.stack);
        assert.match(error.message, reason);
        return true;
      }),
    );
  }
});

test('a reader that stops closes its source', async () => {
  let ended = false;
  async function* source() {
    try {
      yield WHOLE;
      yield WHOLE;
    } finally {
      ended = true;
    }
  }
  for await (const _ of readTar(source(), () => true, LIMITS)) break;
  assert.ok(ended);
});
