import { extname } from 'node:path';

/** Content types by file extension; other files are not served. */
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

/** Keys and passwords with an extension of web content. */
const SECRET_NAME = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|secrets?)(?:\.|$)|\.env\./i;
/** On some file systems `Data` is `data`. */
const DATA_FOLDER = /^data\//i;
const DEFAULT_CSV = /^data\/[^/]+\.csv$/i;

export function contentTypeOf(path: string): string | undefined {
  return CONTENT_TYPES.get(extname(path).toLowerCase());
}

/**
 * Whether a file may be served by its path below the folder, with slashes, decoded: only web content, nothing hidden,
 * and of `data/`, where servers may keep their state, only the dashboard's own files.
 */
export function isServable(path: string): boolean {
  const names = path.split('/');
  if (/[\\\0:]/.test(path) || names.some((name) => name === '' || name.startsWith('.') || SECRET_NAME.test(name)))
    return false;
  if (contentTypeOf(path) === undefined) return false;
  return !DATA_FOLDER.test(path) || isDashboardData(path) || path.startsWith('data/sample/');
}

/** Whether the page loads the file on its own. */
export function isDefaultCsv(path: string): boolean {
  return DEFAULT_CSV.test(path) && isServable(path);
}

/** The dashboard's own files, also in state folders: no server has files of these names. */
export function isDashboardData(path: string): boolean {
  return path === MARKER_PATH || DEFAULT_CSV.test(path);
}

/** The markers' path in a URL. */
export const MARKER_PATH = 'data/project-markers.json';
