// The flow of data: the page (or a command) requests events; they are read from upstream page by page with the user's
// token, and cached for two minutes. Markers are stored in one file of the project. All sums are computed by the domain
// code in the browser's worker and in the terminal, never here.
import { homedir, hostname } from 'node:os';
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
import { AgentChanges } from './agents/changes.ts';
import type { AgentId } from './agents/event.ts';
import type { AgentSource } from './agents/source.ts';
import { BudgetFile } from './budget-file.ts';
import type { DashboardOptions, DashboardUser } from './config/config.ts';
import type { EventRequest } from './contract/event-request.ts';
import { DEFAULT_BUDGET_USD } from './domain/budget.ts';
import { EventCache } from './event-cache.ts';
import { readHubPage } from './hub-page.ts';
import { MARKER_FILE, MarkerStore } from './marker-store/marker-store.ts';
import { addAgentMonth, MonthCosts } from './month-cost.ts';
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

/** Opens the logs of assistants; `onProgress` is called while they are read for the first time. */
export type OpenAgents = (
  options: DashboardOptions,
  clock: Clock,
  log: Log,
  onProgress: () => void,
) => Promise<AgentSource>;

/** Starts the dashboard; it accepts requests when this resolves. Throws a CommandError if it cannot. */
export async function startDashboard(
  options: DashboardOptions,
  clock: Clock,
  log: Log,
  deck = openDeck(options.deckUrl, clock),
  openAgents: OpenAgents = openAgentUsage,
): Promise<DashboardServer> {
  const http = new HttpClient({ connectTimeoutMs: CONNECT_TIMEOUT_MS, variables: process.env });
  const store = await MarkerStore.open({ path: join(options.projectDir, MARKER_FILE), clock, log });
  const secrets = options.users.flatMap(({ token }) => (token === undefined ? [] : secretForms(token)));
  const budget = await BudgetFile.open(options.projectDir, clock.now(), log);
  const { projectDir: folder } = options;
  const withheld = [...options.withheld, ...(await logFolders(options.agents))];
  const files = new ProjectFiles({ folder, secrets, withheld, log });
  const bound = { port: options.port };
  const agents = options.agents.length > 0 ? await followAgents(options, clock, log, openAgents) : undefined;
  const usage = { ...composeUsage(options, files, http, clock, () => bound.port), agents };
  const app = createDashboardApp(composeParts(options, usage, store, budget, files, deck, clock, log));
  const { host, port } = options;
  const listener = await listen({ fetch: app.fetch, addresses: [{ host, port }], clock });
  bound.port = Number(new URL(listener.url).port || 80);
  log.info('Dashboard is listening', { address: listener.addresses[0] });
  const costs = new MonthCosts(options.projectDir, () => clock.now());
  let closing: Promise<void> | undefined;
  const close = async () => {
    await agents?.changes.close();
    await listener.close(GRACE_MS);
    await agents?.source.close();
    await http.close();
  };
  return {
    url: listener.url,
    async summary() {
      const { monthlyUsd } = await budget.read();
      return {
        kind: 'dashboard',
        month: agents ? await addAgentMonth(await costs.read(), agents.source, options.agents) : await costs.read(),
        hasLive: options.users.some(({ token }) => token !== undefined),
        budgetCents: Math.round((monthlyUsd ?? DEFAULT_BUDGET_USD) * 100),
      };
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The folders of the logs of assistants: no file of them is served. */
async function logFolders(agents: readonly AgentId[]): Promise<readonly string[]> {
  if (agents.length === 0) return [];
  const { agentLogs } = await import('./agents/logs/index.ts');
  return agents.flatMap((agent) => agentLogs(agent).folders(process.env, homedir()));
}

async function followAgents(options: DashboardOptions, clock: Clock, log: Log, open: OpenAgents) {
  let changes: AgentChanges | undefined;
  const source = await open(options, clock, log, () => changes?.announce());
  changes = new AgentChanges(source, clock);
  const announce = () => changes?.announce();
  void source.firstReading().then(announce, announce);
  return { source, changes, now: () => clock.now() };
}

/** Loaded only with its setting. */
async function openAgentUsage(options: DashboardOptions, clock: Clock, log: Log, onProgress: () => void) {
  const { AgentUsage } = await import('./agents/usage.ts');
  const { agents, prices, projectDir } = options;
  const dataDir = join(projectDir, 'data');
  return AgentUsage.open({ agents, prices, env: process.env, home: homedir(), dataDir, clock, log, onProgress });
}

function composeParts(
  options: DashboardOptions,
  usage: UsageRouteParts,
  store: MarkerStore,
  budget: BudgetFile,
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
    budget: { file: budget, log },
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
): Omit<UsageRouteParts, 'agents'> {
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
