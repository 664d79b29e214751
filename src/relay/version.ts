/** The ld-relay version that this relay is compatible with, reported by /status and to upstream. */
export const RELAY_VERSION = '8.10.1';
/** The Go server-side SDK of that ld-relay version. */
export const CLIENT_VERSION = '7.7.0';
