import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

/** The limits for the files of a first visit, without the content of rooms, and for the texts of another language. */
const MAX_BYTES = 90 * 1024;
const MAX_TEXT_BYTES = 10 * 1024;

test('the whole page is at most 90 KB, compressed, and German 10 KB', async () => {
  const html = readFileSync('web/rooms/index.html', 'utf8');
  const sources = [...html.matchAll(/"\.\/([\w.-]+\.(?:ts|css))"/g)].map(([, source]) => source as string);
  assert.deepEqual(sources.sort(), ['german-refusals.ts', 'german.ts', 'main.ts', 'style.css', 'theme.ts']);
  const sizes = await Promise.all(
    sources.map(async (source) => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [`web/rooms/${source}`],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        target: 'es2022',
        legalComments: 'none',
      });
      return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    }),
  );
  const [refusals = 0, german = 0, ...others] = sizes;
  const total = others.reduce((sum, size) => sum + size, gzipSync(html).length);
  assert.equal(total <= MAX_BYTES, true, `${total} bytes`);
  assert.equal(german <= MAX_TEXT_BYTES, true, `${german} bytes`);
  assert.equal(refusals <= MAX_TEXT_BYTES, true, `${refusals} bytes`);
});
