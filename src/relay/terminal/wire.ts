import * as v from 'valibot';

// Responses of a relay, as far as the commands read them.

const stateSchema = v.looseObject({
  state: v.string(),
  /** Unix time in milliseconds. */
  stateSince: v.number(),
  lastError: v.optional(v.looseObject({ kind: v.string(), time: v.number() })),
});

const environmentSchema = v.looseObject({
  sdkKey: v.string(),
  status: v.string(),
  connectionStatus: stateSchema,
});

export const statusSchema = v.looseObject({
  environments: v.record(v.string(), environmentSchema),
  status: v.string(),
  version: v.string(),
});

export type WireStatus = v.InferOutput<typeof statusSchema>;
