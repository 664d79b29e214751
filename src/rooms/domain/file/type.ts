/** The number of a file's first bytes that determine its type. */
export const SNIFF_BYTES = 4_096;

type Signature = readonly [type: string, at: number, bytes: string];

/** Source: WHATWG MIME Sniffing, section 6; file bytes as Latin-1. */
const SIGNATURES: readonly Signature[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b\x08'],
];

/** Types that browsers may show inline; others are downloads. */
const SHOWN = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'text/plain',
]);

const MP4_BRANDS = /^(isom|iso[2-9]|mp4[12]|avc1|M4V |dash|msnv)$/;
/** Bytes that no text holds: control characters except tab, line ends, form feed and escape. */
const BINARY = /(?![\t-\r])\p{Cc}/u;
const ESCAPE = '\x1b';

/** The type of a file by its first bytes, whatever its sender claims. */
export function sniffType(head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFF_BYTES));
  const text = bytes.toString('latin1');
  const known = SIGNATURES.find(([, at, signature]) => text.startsWith(signature, at));
  return known?.[0] ?? sniffContainer(text) ?? sniffText(bytes);
}

export const isShown = (contentType: string): boolean => SHOWN.has(contentType);

function sniffContainer(text: string): string | undefined {
  if (text.startsWith('RIFF') && text.startsWith('WEBPVP', 8)) return 'image/webp';
  if (text.startsWith('\x1aE\xdf\xa3')) return text.slice(0, 128).includes('webm') ? 'video/webm' : 'video/x-matroska';
  if (!text.startsWith('ftyp', 4)) return undefined;
  const brand = text.slice(8, 12);
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return MP4_BRANDS.test(brand) ? 'video/mp4' : undefined;
}

function sniffText(bytes: Buffer): string {
  const text = decode(bytes);
  if (text === undefined || BINARY.test(text.replaceAll(ESCAPE, ''))) return 'application/octet-stream';
  const start = text.trimStart().toLowerCase();
  if (!start.startsWith('<')) return 'text/plain';
  if (start.includes('<svg')) return 'image/svg+xml';
  return start.startsWith('<?xml') ? 'application/xml' : 'text/html';
}

/** `undefined`: not UTF-8. The head may end within a character. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
