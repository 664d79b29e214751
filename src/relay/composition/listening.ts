import type { Clock } from '../../kernel/clock.ts';
import type { ListenOptions } from '../../kernel/http/server.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import { StreamRegistry } from '../streams/registry.ts';

/** Of a request: the path may contain a context of a megabyte. */
const MAX_HEADER_BYTES = 2 ** 20 + 2 ** 14;

/** How a thread listens; without the handler of its requests. */
export function listenOptions(
  { host, port, site }: Pick<RelayOptions, 'host' | 'port' | 'site'>,
  tls: (() => TlsSettings) | undefined,
  registry: StreamRegistry,
  clock: Clock,
): Omit<ListenOptions, 'fetch'> {
  return {
    addresses: [{ host, port }],
    maxHeaderBytes: MAX_HEADER_BYTES,
    ...(tls ? { tls } : {}),
    site,
    clock,
    endStreams: () => registry.close(),
  };
}

/** The streams of a thread. */
export function openRegistry(options: RelayOptions, clock: Clock): StreamRegistry {
  return new StreamRegistry({
    clock,
    heartbeatMs: options.heartbeatMs,
    maxConnectionMs: options.maxClientConnectionMs,
    pingJitterMs: options.pingJitterMs,
    random: Math.random,
  });
}
