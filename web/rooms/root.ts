const above = new URL('..', import.meta.url);

/**
 * The path prefix of the server: `/`, or the path that a proxy serves it under and removes. Taken from the URL of the
 * page's script, which is in `assets/` below it.
 */
export const ROOT = above.protocol === 'file:' ? '/' : above.pathname;

/** A path of the server, such as `/api/…`, as the browser must request it. */
export const addressOf = (path: string): string => ROOT + path.slice(1);

/** A path of the server as an absolute URL, to be copied. */
export const linkTo = (path: string): string => above.origin + addressOf(path);
