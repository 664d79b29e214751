// The data flow: a source (upstream, file or archive) puts flags into the store of its environment, which compiles each one
// once. The store notifies the environment's streams, which frame each change once for all clients. The credential of a
// request leads to its environment; the response is an evaluation, or the snapshot that streams begin with. Events go the
// other way: received, batched by the environment's forwarder, sent upstream. composition/ puts the parts together.
import type { Clock } from '../kernel/clock.ts';
import { openDeck } from '../kernel/deck/deck.ts';
import type { ServerState } from '../kernel/deck/report.ts';
import { type Listener, listen } from '../kernel/http/server.ts';
import type { Log } from '../kernel/log.ts';
import { openFront } from './composition/front.ts';
import { openOtlp } from './composition/otlp.ts';
import { composeRelay } from './composition/relay.ts';
import { checkAuthorities, checkStoreFiles, readTls } from './composition/tls.ts';
import { countWorkers } from './composition/worker-pool.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { needingRestart } from './config/reload.ts';
import type { Environment } from './environment.ts';
import { createMetricsApp } from './routes/status.ts';

export interface RelayServer {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string;
  readonly environments: readonly Environment[];
  state(): ServerState;
  /**
   * Resolves when every environment has its data or has timed out, with those that have none. Rejects with a CommandError if
   * LaunchDarkly does not give the list of environments.
   */
  readonly settled: Promise<readonly Environment[]>;
  /**
   * Takes over other environments, certificate files and data, and reports settings that need a restart; streams of
   * environments that stay go on. Throws a CommandError, and changes nothing, if a file cannot be used.
   */
  reload(options: RelayOptions): Promise<void>;
  /** The environments whose data are not in the persistent store; final after `close`. */
  readonly unsaved: readonly Environment[];
  /** Ends streams, finishes requests and sends remaining events. Idempotent. */
  close(): Promise<void>;
}

/** Starts the relay. It listens when this resolves, before all environments have data. Throws a CommandError. */
export async function startRelay(
  options: RelayOptions,
  clock: Clock,
  log: Log,
  deck = openDeck(options.deckUrl, clock),
): Promise<RelayServer> {
  const relay = composeRelay(options, clock, log, await countWorkers(options, log), deck);
  const { set, state, metrics, start, settled, reload, close } = relay;
  const listeners: Listener[] = [];
  let closeOtlp = async () => {};
  const stop = async () => {
    // First, as workers that have stopped report no numbers.
    const sent = closeOtlp();
    await Promise.all(listeners.map((listener) => listener.close(options.gracefulShutdownMs)));
    await Promise.all([close(), sent]);
  };
  try {
    checkAuthorities(options);
    checkStoreFiles(options);
    const tls = options.tls && (await readTls(options.tls));
    await start();
    const { host, prometheus, site } = options;
    const listener = await openFront(relay, options, tls, clock);
    listeners.push(listener);
    if (prometheus) {
      const { fetch } = createMetricsApp(metrics);
      listeners.push(await listen({ fetch, addresses: [{ host, port: prometheus.port }], site, clock }));
    }
    closeOtlp = await openOtlp(options, metrics, clock, log);
    for (const address of listeners.flatMap(({ addresses }) => addresses)) log.info('Listening on', { address });
    const whenSettled = settled();
    // Not every caller waits for it.
    whenSettled.catch(() => {});
    let closing: Promise<void> | undefined;
    return {
      url: listener.url,
      get environments() {
        return set.environments;
      },
      state,
      settled: whenSettled,
      async reload(next) {
        const nextTls = next.tls && (await readTls(next.tls));
        if (nextTls && tls) listener.secureWith(nextTls);
        reload(next);
        const fixed = needingRestart(options, next);
        if (fixed.length > 0) log.warn('some settings change with a restart only', { settings: fixed.join(', ') });
      },
      get unsaved() {
        return set.unsaved;
      },
      close() {
        closing ??= stop();
        return closing;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
