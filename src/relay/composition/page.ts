import { stringify } from 'yaml';
import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { FlagDetails, SourceKind } from '../contract/page.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import type { Journals } from '../journal/journal.ts';
import type { SubscriberCounts } from '../metrics/subscribers.ts';
import { PageAccess } from '../page/access.ts';
import { reportActivity } from '../page/activity-report.ts';
import { describeFlag, listFlags } from '../page/flag-report.ts';
import { FlagSwitch } from '../page/flag-switch.ts';
import type { Paths } from '../routes/index.ts';
import { pagePaths } from '../routes/page.ts';
import { describeEnvironment, type StatusSources } from '../status/status.ts';

export interface ComposedPageParts {
  readonly options: RelayOptions;
  readonly deck: Deck;
  readonly state: () => ServerState;
  readonly set: EnvironmentSet;
  readonly journals: Journals;
  readonly subscribers: (environment: Environment) => SubscriberCounts;
  readonly status: StatusSources<Environment>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The page for browsers and its API. */
export function composePage({
  options,
  deck,
  state,
  set,
  journals,
  subscribers,
  status,
  clock,
  log,
}: ComposedPageParts): Paths {
  const environments = () => set.environments;
  const journal = (environment: Environment) => journals.of(environment);
  const source = (environment: Environment) => sourceOf(environment, options);
  const sourceKind = (environment: Environment) => source(environment).kind;
  const flagSwitch = new FlagSwitch({ sourceKind, journal, clock, log });
  const activity = {
    environments,
    journal,
    status: (environment: Environment) => describeEnvironment(environment, status),
    source,
    streams: (environment: Environment) => {
      const { sizes: open, dropped } = subscribers(environment);
      return { open, dropped };
    },
    events: (environment: Environment) => set.eventsOf(environment),
    version: OPSDECK_VERSION,
  };
  return pagePaths({
    access: new PageAccess(options.pageToken),
    deck,
    state,
    files: async () => (await import('virtual:web/relay')).page,
    environments,
    activity: (name) => reportActivity(activity, name),
    list: (environment) => listFlags(environment, journal(environment)),
    details: (environment, key) =>
      describeFlag(key, environment, journal(environment), flagSwitch.obstacle(environment, key) ?? null),
    yaml: printYaml,
    switchFlag: (environment, key, wanted) => flagSwitch.switch(environment, key, wanted),
    maxBodyBytes: options.maxBodyBytes,
  });
}

function sourceOf(
  { options: { dataFile } }: Environment,
  { archive, streamUri }: RelayOptions,
): { readonly kind: SourceKind; readonly place: string } {
  if (dataFile === SAMPLE_FLAGS) return { kind: 'sample', place: 'opsdeck relay sample' };
  if (dataFile !== undefined) return { kind: 'file', place: dataFile };
  if (archive) return { kind: 'archive', place: archive.path };
  return { kind: 'launchdarkly', place: new URL(streamUri).host };
}

/** Printing YAML takes about a second per megabyte. */
const MAX_YAML_CHARS = 256 * 1024;

async function printYaml({ key, json }: FlagDetails): Promise<Outcome<string>> {
  if (json.length > MAX_YAML_CHARS) return refused('the flag is too large to be printed as YAML: use its JSON');
  return accepted(stringify({ flags: { [key]: JSON.parse(json) } }, { lineWidth: 0 }));
}
