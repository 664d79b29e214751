export interface ListenAddress {
  /** Undefined: every interface. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Reads a listen address as Go writes it: `:9093` (every interface), `host:9093`, `127.0.0.1:0` (any free port),
 * `[::1]:9093`. Undefined when the text is none of these.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  if (!match) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  return { host: match[1] ?? (match[2] || undefined), port };
}

/** Writes `host:port`, an IPv6 host in brackets. */
export function printHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
