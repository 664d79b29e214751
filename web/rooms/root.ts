const above = new URL('..', import.meta.url);

/**
 * Where the server's addresses begin: `/`, or the path under which a proxy shows the server and which it takes away.
 * The page's own script lies in `assets/` below it, and the browser knows from where that came.
 */
export const ROOT = above.protocol === 'file:' ? '/' : above.pathname;

/** What the server calls `/api/...`, as the browser has to call it. */
export const addressOf = (path: string): string => ROOT + path.slice(1);

/** The same with the name of the server, for people to take along. */
export const linkTo = (path: string): string => above.origin + addressOf(path);
