import * as v from 'valibot';
import { USER_ID } from '../domain/user/user.ts';
import { personName } from './user.ts';

/** How a page signs in: with a token, or as somebody new with an invite. */
export const sessionPost = v.strictObject({
  token: v.optional(v.pipe(v.string('write a text'), v.minLength(1, 'write the token'), v.maxLength(300, 'too long'))),
  invite: v.optional(v.pipe(v.string('write a text'), v.regex(/^[0-9A-Za-z]{1,64}$/, 'this is no code of an invite'))),
  name: v.optional(personName),
  id: v.optional(v.pipe(v.string('write a text'), v.regex(USER_ID, 'small letters, digits, ".", "_" and "-"'))),
});
