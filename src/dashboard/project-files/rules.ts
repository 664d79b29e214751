import { extname } from 'node:path';

/** Web content by its endings: a file of any other kind is not served. */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.avif', 'image/avif'],
  ['.css', 'text/css; charset=utf-8'],
  ['.csv', 'text/csv; charset=utf-8'],
  ['.gif', 'image/gif'],
  ['.htm', 'text/html; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.otf', 'font/otf'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.ttf', 'font/ttf'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webp', 'image/webp'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
]);

/** Keys and passwords that have an ending of web content. */
const SECRET_NAME = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|secrets?)(?:\.|$)|\.env\./i;
/** On some file systems `Data` is `data`. */
const DATA_FOLDER = /^data\//i;
const DEFAULT_CSV = /^data\/[^/]+\.csv$/i;

/** The type under which a file is served. */
export function contentTypeOf(path: string): string | undefined {
  return CONTENT_TYPES.get(extname(path).toLowerCase());
}

/**
 * Whether a file may be served by its name: a path below the folder, with slashes, already decoded. Web content alone,
 * nothing hidden, and of `data/`, where servers keep their state too, only what the dashboard itself has there.
 */
export function isServable(path: string): boolean {
  const names = path.split('/');
  if (/[\\\0:]/.test(path) || names.some((name) => name === '' || name.startsWith('.') || SECRET_NAME.test(name)))
    return false;
  if (contentTypeOf(path) === undefined) return false;
  return !DATA_FOLDER.test(path) || isDashboardData(path) || path.startsWith('data/sample/');
}

/** Whether the page loads the file by itself. */
export function isDefaultCsv(path: string): boolean {
  return DEFAULT_CSV.test(path) && isServable(path);
}

/** Files that are the dashboard's wherever they lie: no server keeps anything of these names. */
export function isDashboardData(path: string): boolean {
  return path === MARKER_PATH || DEFAULT_CSV.test(path);
}

/** Where the markers lie, as part of an address. */
export const MARKER_PATH = 'data/project-markers.json';
