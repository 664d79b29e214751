import { aloneDeck } from '../../kernel/deck/deck.ts';
import { metricsGuard } from '../authentication/metrics-guard.ts';
import { createMiddleware } from '../authentication/middleware.ts';
import { OriginGuard } from '../authentication/origin-guard.ts';
import { FailedSignIns } from '../authentication/rate-limits.ts';
import { rulesServer } from '../domain/caller.ts';
import { type HealthSources, PROGRAM_VERSION, ROOMS_VERSION, readHealth, stateOf } from '../health.ts';
import { RequestCounts, RoomsMetrics } from '../rooms-metrics.ts';
import { mergePaths, type Paths } from '../routes/index.ts';
import { completePaths } from '../routes/request/middleware.ts';
import { statusPaths } from '../routes/status.ts';
import type { RoomsCore } from './core.ts';

/** Health, metrics and OpenAPI, and the middleware of all requests. */
export function composeStatus(core: RoomsCore, tables: readonly Paths[], runs: HealthSources['runs']) {
  const { deck = aloneDeck, options, store, nodes, writer, state, clock, feed, log, guard, closedSecrets } = core;
  const requests = new RequestCounts();
  const metrics = new RoomsMetrics({
    requests,
    pos: () => writer.pos,
    isWritable: () => writer.trouble === undefined && !nodes?.away,
    nodes,
    rooms: () => state.all('room').size,
    users: () => state.all('user').size,
    streams: () => feed.size,
    runs,
    startedAt: clock.now(),
    version: PROGRAM_VERSION,
  });
  writer.onCommit((committed) => metrics.committed(committed));
  const origins = new OriginGuard({ ...options, host: options.listenAddress.host });
  const catchUp = nodes && (() => store.catchUp());
  const middleware = createMiddleware({ origins, counts: requests, clock, log, catchUp });
  let described: string | undefined;
  const health = () => readHealth({ options, nodes, writer, connections: () => feed.size, runs, closedSecrets });
  const status = statusPaths({
    deck,
    health,
    async isAdmin(credentials) {
      const found = await guard.authenticator.authenticate(credentials);
      return found.ok && rulesServer(found.value);
    },
    metrics,
    refuseMetrics: metricsGuard(options.metricsToken, new FailedSignIns(clock)),
    version: { version: ROOMS_VERSION, opsdeck: PROGRAM_VERSION },
    async openapi() {
      const { describeApi } = await import('../contract/openapi/openapi.ts');
      described ??= JSON.stringify(describeApi(completePaths(paths, middleware), ROOMS_VERSION));
      return described;
    },
  });
  const paths = mergePaths([...tables, status]);
  return { middleware, paths, state: () => stateOf(health()) };
}
