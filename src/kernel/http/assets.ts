import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { type HttpContext, noteAnswerSize } from './app.ts';

/** One file of a web page as the build stores it: compressed, in base64. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** Bytes before compression. */
  readonly size: number;
  readonly brotli: string;
}

/** The files of one page by their path relative to it; `index.html` is the page. */
export type PageFiles = Readonly<Record<string, Asset>>;

/** No inline scripts, and nothing from other origins. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the function that answers a request for one file of a page; undefined when the page has no such file. */
export function servePage(files: PageFiles): (c: HttpContext, path: string) => Response | undefined {
  const decoded = new Map<string, Uint8Array<ArrayBuffer>>();
  const bytesOf = (key: string, make: () => Buffer) => {
    const known = decoded.get(key);
    if (known) return known;
    const bytes = new Uint8Array(make());
    decoded.set(key, bytes);
    return bytes;
  };
  return (c, path) => {
    const asset = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!asset) return undefined;
    const headers: Record<string, string> = {
      etag: asset.etag,
      vary: 'Accept-Encoding',
      // Names under assets/ have a hash of their content.
      'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'referrer-policy': 'no-referrer',
    };
    if (namesEtag(c.req.header('if-none-match') ?? '', asset.etag)) return c.body(null, 304, headers);
    headers['content-type'] = asset.type;
    const accepted = c.req.header('accept-encoding') ?? '';
    const encoding = (['br', 'gzip'] as const).find((coding) => acceptsCoding(accepted, coding));
    const bytes = bytesOf(`${path} ${encoding}`, () => {
      const compressed = Buffer.from(asset.brotli, 'base64');
      if (encoding === 'br') return compressed;
      const bytes = brotliDecompressSync(compressed);
      return encoding === 'gzip' ? gzipSync(bytes, { level: 9 }) : bytes;
    });
    if (encoding) headers['content-encoding'] = encoding;
    headers['content-length'] = String(bytes.length);
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    noteAnswerSize(c, bytes.length);
    return c.body(bytes, 200, headers);
  };
}

/** The same for a page that is loaded at the first request for one of its files. */
export function serveLatePage(
  load: () => Promise<PageFiles>,
): (c: HttpContext, path: string) => Promise<Response | undefined> {
  let serve: ReturnType<typeof servePage> | undefined;
  return async (c, path) => {
    serve ??= servePage(await load());
    return serve(c, path);
  };
}

/** Whether If-None-Match has the tag; a proxy that compresses marks it as weak. Source: RFC 9110, section 13.1.2. */
function namesEtag(header: string, etag: string): boolean {
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}

/** Whether Accept-Encoding takes a coding, by its name or by `*`; q=0 refuses it. Source: RFC 9110, section 12.5.3. */
function acceptsCoding(header: string, coding: string): boolean {
  const items = header.split(',').map((item) => item.split(';').map((part) => part.trim().toLowerCase()));
  const item = items.find(([name]) => name === coding) ?? items.find(([name]) => name === '*');
  return item !== undefined && !item.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}
