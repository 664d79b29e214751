import * as v from 'valibot';
import { USER_ID, type User } from '../domain/user/user.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import { lineSchema, ownedSchema } from './text.ts';

/** The name of a user, a token or the like. */
export const personName = lineSchema(1, 60);

const userId = v.pipe(
  v.string('write a text'),
  v.regex(USER_ID, 'small letters, digits, ".", "_" and "-", at most 64, a letter or digit first'),
);
const kind = v.picklist(['human', 'bot', 'bridge'], 'write human, bot or bridge');
const role = v.picklist(['admin', 'user'], 'write admin or user');
const avatarColor = v.pipe(v.string('write a text'), v.regex(/^#[0-9a-f]{6}$/i, 'write a colour such as #3b7dd8'));

export const userPost = v.strictObject({
  id: userId,
  name: v.optional(personName),
  kind: v.optional(kind),
  role: v.optional(role),
  avatarColor: v.optional(avatarColor),
});

/** A whole answer of GET is accepted; fields of the server are ignored. */
export const userPut = v.strictObject({
  id: v.optional(v.string('write a text')),
  name: personName,
  kind: v.optional(kind),
  role: v.optional(role),
  avatarColor: v.optional(avatarColor),
  disabled: v.optional(v.boolean('write true or false')),
  createdAt: ownedSchema,
  lastSeenAt: ownedSchema,
});

export const mePut = v.strictObject({
  ...userPut.entries,
  auth: ownedSchema,
  admin: ownedSchema,
  scopes: ownedSchema,
  roomIds: ownedSchema,
  tokenId: ownedSchema,
  expiresAt: ownedSchema,
});

/** A user on the wire. */
export interface WireUser extends Printed<User, 'createdAt'> {
  readonly lastSeenAt: string | null;
}

export function wireUser(user: User, lastSeenAt: number | null): WireUser {
  return { ...user, createdAt: printInstant(user.createdAt), lastSeenAt: printInstantOrNull(lastSeenAt) };
}
