import * as v from 'valibot';
import type { Explanation } from '../contract/explanation.ts';
import type * as wire from '../contract/wire.ts';

// Schemas of the fields of API v2 that the commands read, for any Alertmanager: other fields pass through, and fields that
// older servers leave out (mutedBy, routeLabels, a receiver's labels) are not required.

const labelSet = v.record(v.string(), v.string());
const receiver = v.looseObject({ name: v.string() });

const matcherSchema = v.looseObject({
  name: v.string(),
  value: v.string(),
  isRegex: v.boolean(),
  isEqual: v.nullish(v.boolean()),
});

const alertSchema = v.looseObject({
  labels: labelSet,
  annotations: v.nullish(labelSet),
  startsAt: v.string(),
  endsAt: v.string(),
  fingerprint: v.string(),
  generatorURL: v.nullish(v.string()),
  status: v.looseObject({
    state: v.string(),
    silencedBy: v.nullish(v.array(v.string())),
    inhibitedBy: v.nullish(v.array(v.string())),
  }),
});
export const alertsSchema = v.array(alertSchema);

export const alertGroupsSchema = v.array(v.looseObject({ labels: labelSet, receiver, alerts: alertsSchema }));

const silenceBase = {
  matchers: v.array(matcherSchema),
  startsAt: v.string(),
  endsAt: v.string(),
  createdBy: v.string(),
  comment: v.string(),
  annotations: v.nullish(labelSet),
};

export const silenceSchema = v.looseObject({
  ...silenceBase,
  id: v.string(),
  updatedAt: v.string(),
  status: v.looseObject({ state: v.string() }),
});
export const silencesSchema = v.array(silenceSchema);
export const silenceIdSchema = v.looseObject({ silenceID: v.string() });

export const statusSchema = v.looseObject({
  cluster: v.looseObject({
    status: v.string(),
    name: v.nullish(v.string()),
    peers: v.nullish(v.array(v.looseObject({ name: v.string(), address: v.string() }))),
  }),
  versionInfo: v.looseObject({
    version: v.string(),
    revision: v.string(),
    branch: v.string(),
    buildUser: v.string(),
    buildDate: v.string(),
    goVersion: v.string(),
  }),
  config: v.looseObject({ original: v.string() }),
  uptime: v.string(),
});

const notifiedAlertSchema = v.looseObject({ fingerprint: v.string(), status: v.string(), labels: labelSet });

/** Sent notifications, newest first. Only opsdeck has them. */
export const notificationsSchema = v.array(
  v.looseObject({
    at: v.string(),
    receiver: v.string(),
    integration: v.string(),
    /** Counted from 0 among the receiver's integrations of this kind. */
    index: v.number(),
    groupKey: v.string(),
    groupLabels: labelSet,
    reason: v.string(),
    result: v.string(),
    attempts: v.number(),
    durationMs: v.number(),
    firing: v.number(),
    resolved: v.number(),
    /** The first of them; the numbers above count all. */
    alerts: v.array(notifiedAlertSchema),
    error: v.nullish(v.string()),
    /** The node that sent it, of several. */
    node: v.nullish(v.string()),
    templateError: v.nullish(v.string()),
  }),
);

const inhibitorSchema = v.looseObject({
  fingerprint: v.string(),
  /** The name of the rule, or its place in the file. */
  rule: v.union([v.string(), v.number()]),
  labels: labelSet,
});

const decisionSchema = v.looseObject({
  integration: v.string(),
  index: v.number(),
  wouldSend: v.boolean(),
  reason: v.nullish(v.string()),
  words: v.string(),
});

const explainedRouteSchema = v.looseObject({
  receiver: v.string(),
  /** The matchers of each route from the root down. */
  path: v.array(v.string()),
  groupKey: v.string(),
  groupLabels: labelSet,
  groupWait: v.string(),
  groupInterval: v.string(),
  repeatInterval: v.string(),
  group: v.nullish(v.looseObject({ alerts: v.number(), nextFlush: v.nullish(v.string()) })),
  mutedBy: v.array(v.string()),
  /** Per integration; empty without a group. */
  verdict: v.array(decisionSchema),
});

/** What happens to an alert with these labels. Only opsdeck has it. */
export const explanationSchema = v.looseObject({
  labels: labelSet,
  fingerprint: v.string(),
  /** Absent when the server has no such alert. */
  alert: v.nullish(v.looseObject({ status: v.string(), startsAt: v.string(), endsAt: v.string() })),
  silencedBy: v.array(v.string()),
  inhibitedBy: v.array(inhibitorSchema),
  routes: v.array(explainedRouteSchema),
});

/** A silence in a file, as `silence query -o json` writes it; without an id a new one is created. */
const importedSilenceSchema = v.looseObject({ ...silenceBase, id: v.nullish(v.string()) });
export const importedSilencesSchema = v.array(importedSilenceSchema);

/** Alerts in a file; the server validates the rest of each. */
export const postableAlertsSchema = v.array(v.looseObject({ labels: labelSet }));

export type WireAlert = v.InferOutput<typeof alertSchema>;
export type WireAlertGroup = v.InferOutput<typeof alertGroupsSchema>[number];
export type WireMatcher = v.InferOutput<typeof matcherSchema>;
export type WireSilence = v.InferOutput<typeof silenceSchema>;
export type WireNotification = v.InferOutput<typeof notificationsSchema>[number];
export type WireExplanation = v.InferOutput<typeof explanationSchema>;
export type WireExplainedRoute = WireExplanation['routes'][number];
export type WireStatus = v.InferOutput<typeof statusSchema>;

type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Mutable<T[Name]> }
    : T;

/** Fails to compile where this server prints what a schema refuses. */
type Reads<Answer, Schema extends v.GenericSchema> = Mutable<Answer> extends v.InferInput<Schema> ? true : never;
true satisfies Reads<wire.Alert[], typeof alertsSchema>;
true satisfies Reads<wire.AlertGroup[], typeof alertGroupsSchema>;
true satisfies Reads<wire.Silence[], typeof silencesSchema>;
true satisfies Reads<wire.SilenceId, typeof silenceIdSchema>;
true satisfies Reads<wire.ServerStatus, typeof statusSchema>;
true satisfies Reads<wire.SentNotification[], typeof notificationsSchema>;
true satisfies Reads<Explanation, typeof explanationSchema>;
