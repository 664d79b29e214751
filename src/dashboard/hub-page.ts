import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import type { PageFiles } from '../kernel/http/assets.ts';

export interface HubPage {
  readonly html: string;
  readonly etag: string;
  /** The inline style's source in a content security policy: `sha256-…`. */
  readonly styleHash: string;
}

/** Unpacks the hub page and inserts the version. */
export function readHubPage(files: PageFiles, version: string): HubPage {
  const packed = files['index.html']?.brotli ?? '';
  const source = packed === '' ? '' : brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');
  const html = source.replace('{version}', version);
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  const etag = `"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`;
  return { html, etag, styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}` };
}
