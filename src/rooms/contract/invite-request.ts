import * as v from 'valibot';
import { instantSchema, intSchema } from './text.ts';

/** The body of `POST /api/room/:id/invite`. */
export const inviteRequestSchema = v.strictObject({
  role: v.optional(v.picklist(['admin', 'member', 'guest'])),
  maxUses: v.optional(v.nullable(intSchema(1, 1000))),
  expiresAt: v.optional(instantSchema),
});
