import type { LogFields } from '../../kernel/log.ts';
import type {
  ActivityReport,
  ChangeRow,
  EnvironmentActivity,
  EnvironmentSummary,
  SourceKind,
  UnknownFlagRow,
} from '../contract/page.ts';
import { type Difference, findDifferences } from '../domain/difference.ts';
import type { Json } from '../domain/json.ts';
import type { Environment } from '../environment.ts';
import type { EventCounts } from '../event/counts.ts';
import type { EventReceiver } from '../event/receiver.ts';
import type { ItemChange } from '../journal/change-log.ts';
import type { Journal } from '../journal/journal.ts';
import { sdkExamples } from '../sdk-examples.ts';
import type { EnvironmentStatus } from '../status/status.ts';
import { shortJson } from './flag-report.ts';

/** What the activity of an environment is made of. */
export interface ActivitySources {
  readonly environments: () => readonly Environment[];
  readonly journal: (environment: Environment) => Journal;
  readonly status: (environment: Environment) => EnvironmentStatus;
  readonly source: (environment: Environment) => { readonly kind: SourceKind; readonly place: string };
  /** Clients by kind of stream, and the number of those dropped so far. */
  readonly streams: (environment: Environment) => {
    readonly open: Readonly<Record<string, number>>;
    readonly dropped: number;
  };
  readonly events: (
    environment: Environment,
  ) => Pick<EventReceiver, 'mode'> & { readonly counts: EventCounts; readonly pending: number };
  /** Of opsdeck. */
  readonly version: string;
}

/** The state of the relay, with the details of the environment of this name, or the first one. */
export function reportActivity(sources: ActivitySources, name: string | undefined): ActivityReport {
  const environments = sources.environments();
  const shown = environments.find(({ options }) => options.name === name) ?? environments[0];
  return {
    version: sources.version,
    environments: environments.map((environment) => summaryOf(environment, sources)),
    environment: shown ? describe(shown, sources) : null,
  };
}

function summaryOf(environment: Environment, { status }: ActivitySources): EnvironmentSummary {
  const { options, connection, store } = environment;
  const { name, labels } = options;
  return {
    name,
    title: labels ? `${labels.projName} ${labels.envName}`.trim() || name : name,
    state: connection.state,
    isConnected: status(environment).status === 'connected',
    flags: store.flags().length,
  };
}

const MAX_CHANGES = 100;

function describe(environment: Environment, sources: ActivitySources): EnvironmentActivity {
  const { options, store, revision, changedAt } = environment;
  const { kind, place } = sources.source(environment);
  const journal = sources.journal(environment);
  const { open, dropped } = sources.streams(environment);
  return {
    name: options.name,
    source: kind,
    place,
    status: sources.status(environment),
    revision,
    changedAt: store.isInitialised ? changedAt : null,
    since: journal.since,
    flags: store.flags().length,
    segments: [...store.keys('segments')].length,
    streams: Object.fromEntries(Object.entries(open).filter(([, clients]) => clients > 0)),
    dropped,
    sdks: journal.sdks.sdks.map(({ lastAt, ...sdk }) => ({ ...sdk, requestedAt: lastAt || null })),
    problems: journal.problems.problems
      .map(({ at, level, message, fields }) => ({ at, level, text: `${message}${printFields(fields)}` }))
      .reverse(),
    changes: journal.changes.changes.slice(-MAX_CHANGES).map(rowOf).reverse(),
    events: eventsOf(sources.events(environment)),
    evaluations: journal.evaluations.total,
    unknownFlags: unknownFlags(environment, journal),
    examples: sdkExamples('RELAY_URL', { sdkKey: 'SDK_KEY', envId: options.envId ?? 'CLIENT_SIDE_ID' }),
  };
}

function eventsOf({ mode, counts, pending }: ReturnType<ActivitySources['events']>): EnvironmentActivity['events'] {
  const { received, sent, failed, dropped } = counts;
  return { mode, received, sent, failed, dropped, pending };
}

function printFields(fields: LogFields): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? '' : ` (${shown.map(([name, value]) => `${name}: ${value}`).join(', ')})`;
}

const MAX_UNKNOWN = 50;

/** The last ones that were requested. */
function unknownFlags({ store }: Environment, { evaluations }: Journal): readonly UnknownFlagRow[] {
  const rows: UnknownFlagRow[] = [];
  // Before the first data every flag is unknown.
  if (!store.isInitialised) return rows;
  for (const [key, { variations, lastAt }] of evaluations.flags) {
    if (store.flag(key)) continue;
    rows.push({ key, count: [...variations.values()].reduce((sum, count) => sum + count, 0), requestedAt: lastAt });
  }
  return rows.sort((a, b) => b.requestedAt - a.requestedAt).slice(0, MAX_UNKNOWN);
}

const MAX_DIFFERENCES = 40;
/** Changes do not change. */
const rows = new WeakMap<ItemChange, ChangeRow>();

function rowOf(change: ItemChange): ChangeRow {
  let row = rows.get(change);
  if (!row) {
    const { id, at, kind, key, before, after, comment } = change;
    const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const differences = findDifferences(parse(before), parse(after), MAX_DIFFERENCES + 1)
      .filter(({ path }) => path !== 'version')
      .map(({ path, ...sides }: Difference) => ({
        path,
        before: 'before' in sides ? shortJson(sides.before) : null,
        after: 'after' in sides ? shortJson(sides.after) : null,
      }));
    row = { id, at, kind, key, what, comment: comment ?? null, differences };
    rows.set(change, row);
  }
  return row;
}

const parse = (json: string | undefined): Json | undefined => (json === undefined ? undefined : JSON.parse(json));
