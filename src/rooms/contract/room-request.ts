import * as v from 'valibot';
import { USER_ID } from '../domain/user/user.ts';
import { copilotRequestSchema } from './copilot-request.ts';
import { intSchema, lineSchema, objectSchema, ownedSchema, proseSchema } from './text.ts';

const MAX_LABELS = 32;
const MAX_MEMBERS = 256;

export const userIdSchema = v.pipe(
  v.string(),
  v.regex(USER_ID, 'must be the id of a user: small letters, digits, ".", "_" and "-"'),
);

const slugSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 small letters, digits and "-", and not begin with "-"'),
);

const labelsSchema = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[^=\p{Cc}\p{Cs}]{1,63}$/u, 'must have a key of 1 to 63 characters without "="')),
    v.pipe(v.string(), v.regex(/^[^\p{Cc}\p{Cs}]{0,255}$/u, 'must have at most 255 characters')),
  ),
  v.check((labels) => Object.keys(labels).length <= MAX_LABELS, `must be ${MAX_LABELS} at the most`),
);

const retentionSchema = objectSchema({
  days: v.optional(v.nullable(intSchema(1, 36_500))),
  maxMessages: v.optional(v.nullable(intSchema(1, 1_000_000_000))),
});

/** By what was sent, so that the reason names what is wrong in it and not all that it might have been. */
const copilotSchema = v.lazy((input) => {
  if (input === null) return v.null();
  return typeof input === 'boolean' ? v.boolean() : copilotRequestSchema;
});

const FIELDS = {
  name: v.optional(lineSchema(1, 80)),
  slug: v.optional(slugSchema),
  topic: v.optional(lineSchema(0, 250)),
  description: v.optional(proseSchema(2000)),
  visibility: v.optional(v.picklist(['public', 'private', 'direct'])),
  readOnly: v.optional(v.boolean()),
  archived: v.optional(v.boolean()),
  historyVisibility: v.optional(v.picklist(['all', 'joined'])),
  labels: v.optional(v.nullable(labelsSchema)),
  retention: v.optional(v.nullable(retentionSchema)),
  slowModeSeconds: v.optional(intSchema(0, 3600)),
  copilot: v.optional(copilotSchema),
};

/** The body of `POST /api/room`. */
export const roomDraftSchema = v.strictObject({
  ...FIELDS,
  members: v.optional(v.pipe(v.array(userIdSchema), v.maxLength(MAX_MEMBERS, `must be ${MAX_MEMBERS} at the most`))),
});

/** The body of `PUT /api/room/:id`: what a GET has answered may come back whole. */
export const roomReplacementSchema = v.strictObject({
  ...FIELDS,
  // Refused by name in domain/room-change.ts: who is in a room is not said here.
  users: ownedSchema,
  members: ownedSchema,
  id: ownedSchema,
  pinned: ownedSchema,
  createdBy: ownedSchema,
  createdAt: ownedSchema,
  updatedAt: ownedSchema,
  version: ownedSchema,
  lastSeq: ownedSchema,
  firstSeq: ownedSchema,
  lastMessageAt: ownedSchema,
  memberCount: ownedSchema,
  onlineCount: ownedSchema,
  me: ownedSchema,
});
