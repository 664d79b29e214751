import type { Clock } from '../../kernel/clock.ts';
import { type Listener, listen } from '../../kernel/http/server.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import { answerForwarded } from '../workers/forwarded-request.ts';
import { listenOptions } from './listening.ts';
import type { ComposedRelay } from './relay.ts';

/** Where clients connect. */
export interface RelayFront extends Listener {
  /** Uses another certificate for further connections. */
  secureWith(tls: TlsSettings): void;
}

/** Listens in this thread, or in the workers. Throws a CommandError. */
export async function openFront(
  { app, registry, metrics, goals, workers }: ComposedRelay,
  options: RelayOptions,
  tls: TlsSettings | undefined,
  clock: Clock,
): Promise<RelayFront> {
  if (workers)
    return workers.listen(tls, {
      async answer(request) {
        // The page shows what all workers have counted.
        if (request.url.startsWith('/api/')) await workers.refresh();
        return answerForwarded(app.fetch, request);
      },
      goals: (envId) => goals.read(envId),
      count: (report) => metrics.add(report),
    });
  let current = tls;
  const listener = await listen({
    ...listenOptions(options, current && (() => current as TlsSettings), registry, clock),
    fetch: app.fetch,
  });
  return {
    ...listener,
    secureWith(next) {
      current = next;
    },
  };
}
