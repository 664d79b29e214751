// The flow of data: the page (or a command) requests events; they are read from upstream page by page with the user's
// token, and cached for two minutes. Markers are stored in one file of the project. All sums are computed by the domain
// code in the browser's worker and in the terminal, never here.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { page } from 'virtual:web/dashboard';
import { page as hubPage } from 'virtual:web/dashboard-hub';
import type { UsageSummary } from '../hub/contract.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Deck, openDeck } from '../kernel/deck/deck.ts';
import { servePage } from '../kernel/http/assets.ts';
import { listen } from '../kernel/http/server.ts';
import { isForeign } from '../kernel/http/site-address.ts';
import { HttpClient } from '../kernel/http-client/http-client.ts';
import type { Log } from '../kernel/log.ts';
import { isOwnHost } from './access.ts';
import type { DashboardOptions, DashboardUser } from './config/config.ts';
import type { EventRequest } from './contract/event-request.ts';
import { EventCache } from './event-cache.ts';
import { readHubPage } from './hub-page.ts';
import { MARKER_FILE, MarkerStore } from './marker-store/marker-store.ts';
import { MonthCosts } from './month-cost.ts';
import { answerFile } from './project-files/answer.ts';
import { findDefaultCsv } from './project-files/csv.ts';
import { ProjectFiles } from './project-files/project-files.ts';
import { createDashboardApp, type DashboardAppParts } from './routes/index.ts';
import type { UsageRouteParts } from './routes/usage.ts';
import { readSample } from './sample.ts';
import { UpstreamEvents } from './upstream/events.ts';
import { fetchSummary } from './upstream/summary.ts';
import { Upstream } from './upstream/upstream.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const GRACE_MS = 2_000;

export interface DashboardServer {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** What the hub shows. */
  summary(): Promise<UsageSummary>;
  /** Answers the requests in progress, then ends. Idempotent. */
  close(): Promise<void>;
}

/** Starts the dashboard; it accepts requests when this resolves. Throws a CommandError if it cannot. */
export async function startDashboard(
  options: DashboardOptions,
  clock: Clock,
  log: Log,
  deck = openDeck(options.deckUrl, clock),
): Promise<DashboardServer> {
  const http = new HttpClient({ connectTimeoutMs: CONNECT_TIMEOUT_MS, variables: process.env });
  const store = await MarkerStore.open({ path: join(options.projectDir, MARKER_FILE), clock, log });
  const secrets = options.users.flatMap(({ token }) => (token === undefined ? [] : secretForms(token)));
  const { projectDir: folder, withheld } = options;
  const files = new ProjectFiles({ folder, secrets, withheld, log });
  const bound = { port: options.port };
  const usage = composeUsage(options, files, http, clock, () => bound.port);
  const app = createDashboardApp(composeParts(options, usage, store, files, deck, clock, log));
  const { host, port } = options;
  const listener = await listen({ fetch: app.fetch, addresses: [{ host, port }], clock });
  bound.port = Number(new URL(listener.url).port || 80);
  log.info('Dashboard is listening', { address: listener.addresses[0] });
  const costs = new MonthCosts(options.projectDir, () => clock.now());
  let closing: Promise<void> | undefined;
  const close = async () => {
    await listener.close(GRACE_MS);
    await http.close();
  };
  return {
    url: listener.url,
    summary: async () => ({ kind: 'dashboard', month: await costs.read() }),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function composeParts(
  options: DashboardOptions,
  usage: UsageRouteParts,
  store: MarkerStore,
  files: ProjectFiles,
  deck: Deck,
  clock: Clock,
  log: Log,
): DashboardAppParts {
  const rules = { ...options, machineName: hostname() };
  return {
    guard: { isOwnHost: (host) => isOwnHost(host, rules), isForeign },
    usage,
    deck,
    markers: { store, now: () => clock.now(), log },
    files: {
      page: servePage(page),
      hub: readHubPage(hubPage, OPSDECK_VERSION),
      files,
      answerFile,
      readSample: (name) => readSample(name, clock.now()),
    },
    clock,
    log,
  };
}

/** A token as sent, and as commonly written. */
function secretForms(token: string): readonly string[] {
  return [...new Set([token, token.replaceAll('%3A%3A', '::')])];
}

function composeUsage(
  options: DashboardOptions,
  files: ProjectFiles,
  http: HttpClient,
  clock: Clock,
  port: () => number,
): UsageRouteParts {
  const now = () => clock.now();
  const startedAt = now();
  const upstream = new Upstream({ url: options.upstreamUrl, cookieName: options.cookieName, http, clock });
  const events = new UpstreamEvents({ upstream, now });
  const cache = new EventCache({ ttlMs: options.cacheTtlMs, now });
  const users = new Map<string, DashboardUser>(options.users.map((user) => [user.id, user]));
  // Routes pass only users of this list.
  const userOf = (id: string) => users.get(id) as DashboardUser;
  return {
    users: options.users.map(({ token, ...user }) => ({ ...user, hasToken: token !== undefined })),
    version: OPSDECK_VERSION,
    port,
    uptimeS: () => Math.max(0, Math.floor((now() - startedAt) / 1000)),
    findDefaultCsv: () => findDefaultCsv(options.projectDir, [...users.keys()], files),
    fetchSummary: (id, signal) => fetchSummary(upstream, userOf(id), now(), signal),
    fetchEvents: (id, request: EventRequest, signal) => {
      const { startAt, endAt, refresh } = request;
      const key = `${id}:${startAt ?? ''}:${endAt ?? ''}`;
      const fetch = (whileWanted: AbortSignal) => events.fetch(userOf(id), { startAt, endAt }, whileWanted);
      return cache.get(key, refresh, fetch, signal);
    },
  };
}
