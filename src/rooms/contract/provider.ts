import * as v from 'valibot';
import { PROVIDER_KINDS, type Provider } from '../domain/copilot/copilot.ts';
import { apiKeySchema, baseUrlSchema, modelSchema, secretRefSchema } from './copilot.ts';
import { type Printed, printInstant } from './instant.ts';
import { ownedSchema } from './text.ts';

const name = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must have 1 to 64 small letters, digits, ".", "_" and "-"'),
);
const fields = {
  kind: v.picklist(PROVIDER_KINDS),
  baseUrl: v.nullish(baseUrlSchema),
  model: v.nullish(modelSchema),
  apiKey: v.optional(v.nullable(apiKeySchema)),
  secretRef: v.optional(v.nullable(secretRefSchema)),
  allowPrivate: v.optional(v.boolean()),
  apiKeyInfo: ownedSchema,
  version: ownedSchema,
  updatedAt: ownedSchema,
};

/** The body of `POST /api/provider`. */
export const providerRequestSchema = v.strictObject({ name, ...fields });

/** The body of `PUT /api/provider/:name`; its name, if any, must be that of the path. */
export const providerReplacementSchema = v.strictObject({ name: v.optional(name), ...fields });

/** A provider on the wire; of its key only whether there is one. */
export type WireProvider = Printed<Provider, 'updatedAt'>;

export function wireProvider(provider: Provider): WireProvider {
  return { ...provider, updatedAt: printInstant(provider.updatedAt) };
}
