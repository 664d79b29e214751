import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isJsonObject, type Json } from '../json.ts';
import { type JsonFields, readObject } from '../json-fields.ts';
import { type EventContext, readEventContext } from './context.ts';

// Events of SDKs that do not summarise: those before schema 3, and those that announce it, such as the PHP SDK.

interface SdkEventBase {
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly context: EventContext;
  readonly samplingRatio: number | undefined;
}

/** One evaluation of a flag. */
export interface FeatureEvent extends SdkEventBase {
  readonly kind: 'feature';
  readonly key: string;
  /** Of the flag; undefined: unknown flag. */
  readonly version: number | undefined;
  readonly variation: number | undefined;
  readonly value: Json;
  readonly default: Json;
  /** Undefined: unknown to the SDK. */
  readonly trackEvents: boolean | undefined;
  /** Epoch milliseconds; 0 for never. */
  readonly debugEventsUntilDate: number;
  readonly excludeFromSummaries: boolean;
  readonly prereqOf: string;
  readonly reason: Json | undefined;
}

export interface CustomEvent extends SdkEventBase {
  readonly kind: 'custom';
  readonly key: string;
  readonly data: Json;
  readonly metricValue: number | undefined;
}

export interface IdentifyEvent extends SdkEventBase {
  readonly kind: 'identify';
}

/** An event that is passed on unchanged. */
export interface OtherEvent {
  readonly kind: 'other';
  readonly json: Json;
}

export type SdkEvent = FeatureEvent | CustomEvent | IdentifyEvent | OtherEvent;

/** The properties of a flag that complete events of old SDKs. */
export interface StoredFlag {
  readonly variations: readonly Json[];
  readonly trackEvents: boolean;
  /** Epoch milliseconds; 0 for never. */
  readonly debugEventsUntilDate: number;
}

/** Reads one event. A refusal quotes no value. */
export function readSdkEvent(json: Json): Outcome<SdkEvent> {
  if (!isJsonObject(json)) return refused('the event is not an object');
  const { kind } = json;
  if (typeof kind !== 'string' || kind === '') return refused('the event has no kind');
  if (kind !== 'feature' && kind !== 'custom' && kind !== 'identify') return accepted({ kind: 'other', json });
  const context = readEventContext(json.context ?? json.user ?? null);
  if (!context.ok) return context;
  return readObject(json, (fields) => readFields(kind, fields, json, context.value));
}

function readFields(
  kind: 'feature' | 'custom' | 'identify',
  fields: JsonFields,
  json: { readonly [name: string]: Json },
  context: EventContext,
): SdkEvent {
  const base = {
    creationDate: fields.integer('creationDate') ?? 0,
    context,
    samplingRatio: fields.integer('samplingRatio'),
  };
  if (kind === 'identify') return { kind, ...base };
  const key = fields.text('key');
  if (kind === 'custom') {
    return { kind, ...base, key, data: json.data ?? null, metricValue: readMetric(fields, json) };
  }
  return {
    kind,
    ...base,
    key,
    version: fields.integer('version'),
    variation: fields.integer('variation'),
    value: json.value ?? null,
    default: json.default ?? null,
    trackEvents: (json.trackEvents ?? undefined) === undefined ? undefined : fields.flag('trackEvents'),
    debugEventsUntilDate: fields.integer('debugEventsUntilDate') ?? 0,
    excludeFromSummaries: fields.flag('excludeFromSummaries'),
    prereqOf: fields.text('prereqOf'),
    reason: isJsonObject(json.reason) ? json.reason : undefined,
  };
}

/** Unlike other numbers, may be a fraction. */
function readMetric(fields: JsonFields, { metricValue }: { readonly [name: string]: Json }): number | undefined {
  return fields.integer('metricValue') === undefined ? undefined : (metricValue as number);
}

/**
 * Adds properties that old schemas lack. If the event has `trackEvents` or `debugEventsUntilDate`, its values apply;
 * otherwise those of the flag. Schema 1 has no variation: the first one with the value of the event is used.
 * Source: ld-relay's oldevents package.
 */
export function completeEvent(event: FeatureEvent, schema: number, flag: StoredFlag | undefined): FeatureEvent {
  // An unknown flag.
  if (event.version === undefined)
    return { ...event, variation: undefined, trackEvents: false, debugEventsUntilDate: 0 };
  if (event.trackEvents !== undefined || event.debugEventsUntilDate !== 0 || !flag) return event;
  const { trackEvents, debugEventsUntilDate } = flag;
  return {
    ...event,
    trackEvents,
    debugEventsUntilDate,
    variation: event.variation ?? inferVariation(event, schema, flag),
  };
}

function inferVariation(event: FeatureEvent, schema: number, flag: StoredFlag): number | undefined {
  if (schema > 1) return undefined;
  const index = flag.variations.findIndex((value) => isSameJson(value, event.value));
  return index === -1 ? undefined : index;
}

function isSameJson(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => isSameJson(value, b[index] as Json));
  }
  if (!isJsonObject(a)) return a === b;
  if (!isJsonObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name] as Json, b[name] as Json))
  );
}
