import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { imageSizeOf } from './file/image.ts';
import { fileNameOf } from './file/name.ts';
import { readRange } from './file/range.ts';
import { isShown, SNIFF_BYTES, sniffType } from './file/type.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const PNG = latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0');
const GIF = latin('GIF89a\x20\x03\x58\x02\0\0\0');
const JPEG_START = '\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0';
const FRAME = '\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03\x01\x22\0\x02\x11\x01\x03\x11\x01';
const WEBP = (chunk: string) => latin(`RIFF\x40\0\0\0WEBP${chunk}`.padEnd(64, '\0'));

const TYPES: readonly (readonly [what: string, bytes: Buffer, type: string, shown: boolean])[] = [
  ['PNG', PNG, 'image/png', true],
  ['GIF', GIF, 'image/gif', true],
  ['JPEG', latin(JPEG_START), 'image/jpeg', true],
  ['WebP', WEBP('VP8L'), 'image/webp', true],
  ['AVIF', latin('\0\0\0\x20ftypavif\0\0\0\0'), 'image/avif', true],
  ['MP4', latin('\0\0\0\x20ftypisom\0\0\0\0'), 'video/mp4', true],
  ['WebM', latin('\x1aE\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'), 'video/webm', true],
  ['PDF', latin('%PDF-1.7'), 'application/pdf', false],
  ['ZIP', latin('PK\x03\x04'), 'application/zip', false],
  ['text', Buffer.from('Grüße\tan alle\r\n\u001b[31mrot'), 'text/plain', true],
  ['nothing', Buffer.alloc(0), 'text/plain', true],
  ['SVG', latin('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">'), 'image/svg+xml', false],
  ['SVG behind a declaration', latin('\n<?xml version="1.0"?><!-- x --><svg>'), 'image/svg+xml', false],
  ['SVG behind a byte order mark', Buffer.from('\ufeff<svg>'), 'image/svg+xml', false],
  ['HTML', latin(' \n<!DOCTYPE html><script>alert(1)</script>'), 'text/html', false],
  ['a piece of HTML', latin('<b>x</b>'), 'text/html', false],
  ['XML', latin('<?xml version="1.0"?><feed/>'), 'application/xml', false],
  ['what is no UTF-8', latin('caf\xe9 '), 'application/octet-stream', false],
  ['bytes', latin('\0\x01\x02'), 'application/octet-stream', false],
  ['a program', latin('\x7fELF\x02\x01\x01'), 'application/octet-stream', false],
];

for (const [what, bytes, type, shown] of TYPES) {
  test(`${what} is known by its bytes`, () => {
    assert.equal(sniffType(bytes), type);
    assert.equal(isShown(type), shown);
  });
}

test('a text is known where its head ends within a character', () => {
  const text = Buffer.from(`${'x'.repeat(SNIFF_BYTES - 1)}é`);
  assert.equal(sniffType(text), 'text/plain');
});

const SIZES: readonly (readonly [type: string, bytes: Buffer, width: number, height: number])[] = [
  ['image/png', PNG, 640, 480],
  ['image/gif', GIF, 800, 600],
  ['image/jpeg', latin(JPEG_START + FRAME), 640, 480],
  ['image/jpeg', latin(`${JPEG_START}\xff\xe1\x80\x02${'p'.repeat(0x8000)}\xff\xff${FRAME}`), 640, 480],
  ['image/webp', WEBP('VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01'), 640, 480],
  ['image/webp', WEBP('VP8L\0\0\0\0\x2f\x7f\xc2\x77\0'), 640, 480],
  ['image/webp', WEBP('VP8X\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0'), 640, 480],
];

for (const [index, [type, bytes, width, height]] of SIZES.entries()) {
  test(`the size of ${type} (${index})`, () => {
    assert.deepEqual(imageSizeOf(type, bytes), { width, height });
  });
}

test('a truncated or damaged image has no size, or some size, and nothing worse', () => {
  const random = new Random(3);
  for (const [type, bytes] of SIZES) {
    for (let end = 0; end < Math.min(bytes.length, 80); end++) imageSizeOf(type, bytes.subarray(0, end));
    for (let n = 0; n < 300; n++) {
      const spoiled = Buffer.from(bytes);
      spoiled[random.int(0, spoiled.length - 1)] = random.int(0, 255);
      const size = imageSizeOf(type, spoiled);
      assert.ok(!size || (size.width > 0 && size.height > 0));
    }
  }
  assert.equal(imageSizeOf('image/png', Buffer.alloc(64)), undefined);
  assert.equal(imageSizeOf('text/plain', PNG), undefined);
});

for (const [sent, name] of [
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ana\\plan.txt', 'plan.txt'],
  ['/', 'file'],
  ['..', 'file'],
  ['', 'file'],
  [' a\0b\r\nc ', 'abc'],
  ['photo\u202egnp.exe', 'photognp.exe'],
  ['Grüße 👩‍👩‍👧 "x".txt', 'Grüße 👩‍👩‍👧 "x".txt'],
  [`${'é'.repeat(300)}.tar.gz`, `${'é'.repeat(252)}.gz`],
  ['\ud800.txt', '\ufffd.txt'],
] as const) {
  test(`a file sent as ${JSON.stringify(sent.slice(0, 30))} is called ${JSON.stringify(name.slice(0, 30))}`, () => {
    assert.equal(fileNameOf(sent), name);
  });
}

for (const [header, expected] of [
  [undefined, 'whole'],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-900', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', 'whole'],
  ['bytes=0-1,4-5', 'whole'],
  ['bytes=-', 'whole'],
  ['lines=1-2', 'whole'],
  ['bytes=99999999999999999999-', 'whole'],
] as const) {
  test(`the range ${header} of 100 bytes`, () => {
    assert.deepEqual(readRange(header, 100), expected);
  });
}

test('an empty file has no ranges', () => {
  assert.equal(readRange('bytes=0-', 0), 'unsatisfiable');
  assert.equal(readRange('bytes=-5', 0), 'unsatisfiable');
});
