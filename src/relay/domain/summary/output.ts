import type { Context } from '../context/context.ts';
import type { EventContext } from './context.ts';
import type { CustomEvent, FeatureEvent, IdentifyEvent } from './event.ts';

// Events of schema 4, with the property order of LaunchDarkly's SDKs. JSON.stringify omits undefined properties.

/** The event for the first occurrence of a context. */
export function printIndex(creationDate: number, { json }: EventContext): string {
  return JSON.stringify({ kind: 'index', creationDate, context: json });
}

export function printFeature(kind: 'feature' | 'debug', event: FeatureEvent): string {
  return JSON.stringify({
    kind,
    creationDate: event.creationDate,
    key: event.key,
    version: event.version,
    context: event.context.json,
    variation: event.variation,
    value: event.value,
    default: event.default,
    prereqOf: event.prereqOf === '' ? undefined : event.prereqOf,
    reason: event.reason,
    samplingRatio: printedRatio(event.samplingRatio),
  });
}

export function printCustom(event: CustomEvent): string {
  return JSON.stringify({
    kind: 'custom',
    creationDate: event.creationDate,
    key: event.key,
    data: event.data ?? undefined,
    contextKeys: contextKeys(event.context.context),
    metricValue: event.metricValue,
    samplingRatio: printedRatio(event.samplingRatio),
  });
}

export function printIdentify(event: IdentifyEvent): string {
  return JSON.stringify({
    kind: 'identify',
    creationDate: event.creationDate,
    context: event.context.json,
    samplingRatio: printedRatio(event.samplingRatio),
  });
}

/** The SDK has sampled already; the ratio is passed on. */
function printedRatio(ratio: number | undefined): number | undefined {
  return ratio === 1 ? undefined : ratio;
}

function contextKeys({ individuals }: Context): Record<string, string> {
  return Object.fromEntries(individuals.map(({ kind, key }) => [kind, key]));
}
