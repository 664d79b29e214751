import * as v from 'valibot';

// Shapes of API v2 as far as the commands read them. Whatever else an answer carries passes through untouched, and
// what older servers leave out (mutedBy, routeLabels, a receiver's labels) is not asked for.

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

/** A silence as a file gives it: what `silence query -o json` wrote; the id is absent when it is to be a new one. */
const importedSilenceSchema = v.looseObject({ ...silenceBase, id: v.nullish(v.string()) });
export const importedSilencesSchema = v.array(importedSilenceSchema);

/** Alerts as a file gives them; the server judges the rest of each. */
export const postableAlertsSchema = v.array(v.looseObject({ labels: labelSet }));

export type WireAlert = v.InferOutput<typeof alertSchema>;
export type WireAlertGroup = v.InferOutput<typeof alertGroupsSchema>[number];
export type WireMatcher = v.InferOutput<typeof matcherSchema>;
export type WireSilence = v.InferOutput<typeof silenceSchema>;
export type WireStatus = v.InferOutput<typeof statusSchema>;

export interface PostableAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

export interface PostableSilence {
  readonly id?: string;
  readonly matchers: readonly WireMatcher[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
