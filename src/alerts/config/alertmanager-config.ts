import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { MatcherMode } from '../domain/matcher/parse.ts';
import type { RouteSettings } from '../domain/route.ts';
import type { NamedTimeInterval } from '../domain/time-interval.ts';
import { ConfigFault, ConfigNode, type ConfigProblem, printProblem } from './config-node.ts';
import type { Environment } from './environment.ts';
import { fromFolder, resolveEventFiles, resolveGlobalFiles, resolveTracingFiles } from './file-path.ts';
import { DEFAULT_GLOBAL, type GlobalConfig } from './global-config.ts';
import { DEFAULT_HTTP_CONFIG } from './http-config.ts';
import { type InhibitRuleConfig, resolveInhibitRule } from './inhibit-rule-config.ts';
import { problemsOf, type Redact } from './kind.ts';
import type { MatcherReading } from './matcher-config.ts';
import { printConfig } from './print-config.ts';
import { completeReceiver, type ReceiverConfig } from './receiver-config.ts';
import { checkReferences } from './references.ts';
import { inheritRoutes } from './route-config.ts';
import { type RawConfig, readSections, type Sections } from './sections.ts';
import type { EventRecorderConfig, TracingConfig } from './telemetry-config.ts';
import {
  collectNotices,
  collectWarnings,
  describeParseWarning,
  encodingWarnings,
  idleDocumentWarnings,
} from './warnings.ts';

/** A valid configuration: every receiver and interval that it names exists. Durations are milliseconds. */
export interface AlertmanagerConfig {
  readonly resolveTimeoutMs: number;
  readonly global: GlobalConfig;
  readonly route: RouteSettings;
  readonly inhibitRules: readonly InhibitRuleConfig[];
  /** In the order of the file. */
  readonly receivers: readonly ReceiverConfig[];
  /** Globs, relative to the folder of the file. */
  readonly templates: readonly string[];
  /** Those under the old name `mute_time_intervals` come first. */
  readonly timeIntervals: readonly NamedTimeInterval[];
  /** Undefined: no traces are sent. */
  readonly tracing: TracingConfig | undefined;
  /** Undefined: no events are recorded. */
  readonly eventRecorder: EventRecorderConfig | undefined;
  /** As YAML with the global part's defaults and without secrets. It can be loaded here and in Alertmanager. */
  readonly printed: string;
  /** Removes the values of environment variables from a text of the file. */
  readonly redact: Redact;
  /** The values of environment variables in the file: secrets. */
  readonly variables: readonly string[];
  /** The first six bytes of the text's MD5, little-endian: what Alertmanager shows as the hash of a configuration. */
  readonly hash: number;
  /** Settings without the effect that they suggest, each with its line. */
  readonly warnings: readonly string[];
  /** Harmless remarks. */
  readonly notices: readonly string[];
}

export interface ReadConfigOptions {
  /** The folder of the file, for relative paths. */
  readonly folder: string;
  readonly matcherMode: MatcherMode;
  /** Retention of the notification log; undefined: no warning about it. */
  readonly retentionMs?: number | undefined;
  /** Whether `${NAME}` in a value stands for an environment variable. */
  readonly expandEnv?: boolean;
  /** The process's by default. */
  readonly environment?: Environment;
}

/** Reads and checks the text of a configuration file; the refusal has one line per problem, each with its line number. */
export function readConfig(text: string, options: ReadConfigOptions): Outcome<AlertmanagerConfig> {
  try {
    return accepted(readOrThrow(text, options));
  } catch (error) {
    if (error instanceof ConfigFault) return refused(listProblems(error.problems));
    if (error instanceof RangeError) return refused('the configuration is nested too deeply');
    throw error;
  }
}

function listProblems(problems: readonly ConfigProblem[]): string {
  const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return [...new Set(sorted.map(printProblem))].join('\n');
}

function readOrThrow(text: string, options: ReadConfigOptions): AlertmanagerConfig {
  const environment = options.expandEnv ? (options.environment ?? process.env) : undefined;
  const root = ConfigNode.parse(text, environment);
  if (root.isNothing) throw new ConfigFault([{ line: undefined, message: 'no route provided in config' }]);
  const parseWarnings: string[] = [];
  const reading: MatcherReading = {
    mode: options.matcherMode,
    onWarning: (line, warning) => parseWarnings.push(describeParseWarning(line, warning)),
  };
  const problems: ConfigProblem[] = [];
  const sections = readSections(root, reading, problems);
  const folder = resolve(options.folder);
  const global = completeGlobal(sections, folder);
  const receivers = completeReceivers(sections, global, folder, problems);
  problems.push(...checkReferences(sections));
  if (problems.length > 0) throw new ConfigFault(problems);
  const raw = sections as RawConfig;
  const route = inheritRoutes(raw.route.value);
  const templates = raw.templates.map((path) => fromFolder(folder, path));
  const inForce = {
    global,
    receivers,
    templates,
    route,
    resolveTimeoutMs: global.resolveTimeout,
    inhibitRules: raw.inhibitRules.map(({ value }) => resolveInhibitRule(value)),
    timeIntervals: namedIntervals(raw),
    tracing: raw.tracing && resolveTracingFiles(raw.tracing.value, folder),
    eventRecorder: raw.eventRecorder && resolveEventFiles(raw.eventRecorder.value, folder),
    warnings: [
      ...encodingWarnings(text),
      ...parseWarnings,
      ...collectWarnings(raw, route, options.retentionMs),
      ...idleDocumentWarnings(root.idleLine),
    ],
    notices: collectNotices(raw, route),
    redact: root.redact,
    variables: root.variables,
  };
  const print = () => printConfig({ raw, global, receivers, templates, redact: root.redact });
  return withLateFields(inForce, { print, hash: () => hashOf(text) });
}

/** Made at first use: printing takes as long as reading, and hashing loads Node's crypto. */
function withLateFields(
  config: Omit<AlertmanagerConfig, 'printed' | 'hash'>,
  make: { readonly print: () => string; readonly hash: () => number },
): AlertmanagerConfig {
  let printed: string | undefined;
  let hash: number | undefined;
  return {
    ...config,
    get printed() {
      printed ??= make.print();
      return printed;
    },
    get hash() {
      hash ??= make.hash();
      return hash;
    },
  };
}

function completeGlobal({ global = DEFAULT_GLOBAL }: Sections, folder: string): GlobalConfig {
  const { httpConfig = DEFAULT_HTTP_CONFIG } = global;
  return resolveGlobalFiles({ ...global, httpConfig }, folder);
}

function completeReceivers(
  { receivers = [], hasGlobal }: Sections,
  global: GlobalConfig,
  folder: string,
  problems: ConfigProblem[],
): readonly ReceiverConfig[] {
  // Without a readable global part, its missing values are unknown.
  if (!hasGlobal) return [];
  return receivers.flatMap(({ value }) => {
    try {
      return [completeReceiver(value, global, folder)];
    } catch (error) {
      problems.push(...problemsOf(error));
      return [];
    }
  });
}

function namedIntervals({ muteTimeIntervals, timeIntervals }: RawConfig): readonly NamedTimeInterval[] {
  return [...muteTimeIntervals, ...timeIntervals].map(({ value }) => ({
    name: value.name,
    intervals: value.timeIntervals,
  }));
}

function hashOf(text: string): number {
  return createHash('md5').update(text).digest().readUIntLE(0, 6);
}

export type { InhibitRuleConfig, NamedTimeInterval, ReceiverConfig };
