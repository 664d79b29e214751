import type { ConfigNode, ConfigProblem } from './config-node.ts';
import { type GlobalConfig, globalConfig } from './global-config.ts';
import { inhibitRuleKind, type RawInhibitRule } from './inhibit-rule-config.ts';
import { type Kind, type Located, list, located, problemsOf, text, unknownFieldMessage, type ValueOf } from './kind.ts';
import type { MatcherReading } from './matcher-config.ts';
import { type RawReceiver, rawReceiver } from './receiver-config.ts';
import { type RawRoute, routeKind } from './route-config.ts';
import { eventRecorder, tracing } from './telemetry-config.ts';
import { muteTimeIntervals, timeIntervals } from './time-interval-config.ts';

/** A file that was read without problems. */
export interface RawConfig {
  readonly route: Located<RawRoute>;
  readonly inhibitRules: readonly Located<RawInhibitRule>[];
  readonly receivers: readonly Located<RawReceiver>[];
  readonly templates: readonly string[];
  readonly muteTimeIntervals: ValueOf<typeof muteTimeIntervals>;
  readonly timeIntervals: ValueOf<typeof timeIntervals>;
  readonly tracing: Located<ValueOf<typeof tracing>> | undefined;
  readonly eventRecorder: Located<ValueOf<typeof eventRecorder>> | undefined;
}

/** The parts that could be read; undefined where one could not. */
export interface Sections extends Partial<RawConfig> {
  readonly global?: GlobalConfig;
  /** Whether the global part is valid or absent. */
  readonly hasGlobal: boolean;
}

const NAMES = [
  'global',
  'route',
  'inhibit_rules',
  'receivers',
  'templates',
  'mute_time_intervals',
  'time_intervals',
  'tracing',
  'event_recorder',
];

/** Reads each part on its own, so that a problem in one hides none in another. */
export function readSections(root: ConfigNode, reading: MatcherReading, problems: ConfigProblem[]): Sections {
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(...problemsOf(error));
      return undefined;
    }
  };
  const found = new Map<string, ConfigNode>();
  for (const [name, value] of attempt(() => root.fields()) ?? []) {
    const word = name.written();
    if (!NAMES.includes(word)) problems.push({ line: name.line, message: unknownFieldMessage(word, NAMES) });
    else if (!value.isNothing) found.set(word, value);
  }
  const read = <T>(name: string, kind: Kind<T>, absent: T): T | undefined => {
    const node = found.get(name);
    return node ? attempt(() => kind.read(node)) : absent;
  };
  if (problems.length === 0 && !found.has('route')) problems.push({ line: undefined, message: 'no routes provided' });
  const global = read<GlobalConfig | 'none'>('global', globalConfig as Kind<GlobalConfig | 'none'>, 'none');
  const parts = {
    route: read<Located<RawRoute> | undefined>(
      'route',
      routeKind(reading) as Kind<Located<RawRoute> | undefined>,
      undefined,
    ),
    inhibitRules: read('inhibit_rules', list(inhibitRuleKind(reading)), []),
    receivers: read('receivers', list(rawReceiver), []),
    templates: read('templates', list(text), []),
    muteTimeIntervals: read('mute_time_intervals', muteTimeIntervals, []),
    timeIntervals: read('time_intervals', timeIntervals, []),
    tracing: read('tracing', located(tracing) as Kind<Located<ValueOf<typeof tracing>> | undefined>, undefined),
    eventRecorder: read(
      'event_recorder',
      located(eventRecorder) as Kind<Located<ValueOf<typeof eventRecorder>> | undefined>,
      undefined,
    ),
  };
  return {
    ...(Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Partial<RawConfig>),
    ...(global !== undefined && global !== 'none' ? { global } : {}),
    hasGlobal: global !== undefined,
  };
}
