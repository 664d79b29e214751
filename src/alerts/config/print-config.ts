import { Document, isScalar, Scalar, type Tags, visit } from 'yaml';
import { type GlobalConfig, globalConfig } from './global-config.ts';
import { inhibitRuleKind } from './inhibit-rule-config.ts';
import { type Kind, list, located, type Redact, text } from './kind.ts';
import type { MatcherReading } from './matcher-config.ts';
import { printReceiver, type ReceiverConfig } from './receiver-config.ts';
import { routeKind } from './route-config.ts';
import type { RawConfig } from './sections.ts';
import { eventRecorder, tracing } from './telemetry-config.ts';
import { muteTimeIntervals, timeIntervals } from './time-interval-config.ts';

interface Printable {
  readonly raw: RawConfig;
  readonly global: GlobalConfig;
  readonly receivers: readonly ReceiverConfig[];
  readonly templates: readonly string[];
  readonly redact: Redact;
}

/** The matcher syntax does not matter for printing. */
const ANY_READING: MatcherReading = { mode: 'fallback', onWarning: () => {} };

/** As YAML: each part of the file with global values and defaults, and without secrets. */
export function printConfig({ raw, global, receivers, templates, redact }: Printable): string {
  const some = <T>(kind: Kind<readonly T[]>, items: readonly T[]) =>
    items.length > 0 ? kind.print(items, redact) : undefined;
  const printed = {
    global: globalConfig.print(global, redact),
    route: routeKind(ANY_READING).print(raw.route, redact),
    inhibit_rules: some(list(inhibitRuleKind(ANY_READING)), raw.inhibitRules),
    receivers: receivers.length > 0 ? receivers.map((receiver) => printReceiver(receiver, redact)) : undefined,
    templates: list(text).print(templates, redact),
    mute_time_intervals: some(muteTimeIntervals, raw.muteTimeIntervals),
    time_intervals: some(timeIntervals, raw.timeIntervals),
    tracing: raw.tracing && located(tracing).print(raw.tracing, redact),
    event_recorder: raw.eventRecorder && located(eventRecorder).print(raw.eventRecorder, redact),
  };
  // Alertmanager reads YAML 1.1, where a bare `yes` or `12:30` is not a text.
  const document = new Document(printed, { version: '1.1', aliasDuplicateObjects: false, customTags: withoutMerging });
  visit(document, {
    Pair(_, { key }) {
      // Unquoted, it would merge another mapping.
      if (isScalar(key) && key.value === '<<') key.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** With this tag a `<<` could not be quoted. */
function withoutMerging(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:merge');
}
