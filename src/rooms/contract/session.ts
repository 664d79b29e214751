import * as v from 'valibot';
import { USER_ID } from '../domain/user/user.ts';
import { personName } from './user.ts';

/** The body of `POST /api/session`: a token, or an invite with the name of a new user. */
export const sessionPost = v.strictObject({
  token: v.optional(v.pipe(v.string('write a text'), v.minLength(1, 'write the token'), v.maxLength(300, 'too long'))),
  invite: v.optional(v.pipe(v.string('write a text'), v.regex(/^[0-9A-Za-z]{1,64}$/, 'must be the code of an invite'))),
  name: v.optional(personName),
  id: v.optional(v.pipe(v.string('write a text'), v.regex(USER_ID, 'small letters, digits, ".", "_" and "-"'))),
});
export type SessionBody = v.InferInput<typeof sessionPost>;
