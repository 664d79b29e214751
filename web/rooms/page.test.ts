import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

/** The limit for the files of a first visit, without the content of rooms. */
const MAX_BYTES = 90 * 1024;

test('the whole page is at most 90 KB, compressed', async () => {
  const html = readFileSync('web/rooms/index.html', 'utf8');
  const sources = [...html.matchAll(/"\.\/([\w.-]+\.(?:ts|css))"/g)].map(([, source]) => source as string);
  assert.deepEqual(sources.sort(), ['main.ts', 'style.css', 'theme.ts']);
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
  const total = sizes.reduce((sum, size) => sum + size, gzipSync(html).length);
  assert.equal(total <= MAX_BYTES, true, `${total} bytes`);
});
