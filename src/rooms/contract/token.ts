import * as v from 'valibot';
import { SCOPES, type Token } from '../domain/token/token.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import { instantSchema, ownedSchema } from './text.ts';
import { personName } from './user.ts';

const scopes = v.pipe(
  v.array(v.picklist(SCOPES, `one of ${SCOPES.join(', ')}`), 'write a list of scopes'),
  v.minLength(1, 'at least one scope'),
);
const roomIds = v.pipe(
  v.array(v.string('write ids or slugs of rooms'), 'write a list of rooms'),
  v.minLength(1, 'at least one room'),
  v.maxLength(100, 'at most 100 rooms'),
);

export const tokenPost = v.strictObject({
  name: personName,
  userId: v.optional(v.string('write a text')),
  scopes: v.optional(scopes),
  roomIds: v.optional(v.nullable(roomIds)),
  expiresAt: v.optional(v.nullable(instantSchema)),
});
export type TokenBody = v.InferInput<typeof tokenPost>;

/** A whole answer of GET is accepted; only the name of a token changes. */
export const tokenPut = v.strictObject({
  name: personName,
  id: ownedSchema,
  userId: ownedSchema,
  scopes: ownedSchema,
  roomIds: ownedSchema,
  prefix: ownedSchema,
  use: ownedSchema,
  parentId: ownedSchema,
  createdAt: ownedSchema,
  lastUsedAt: ownedSchema,
  expiresAt: ownedSchema,
});

/** A token on the wire: never its secret nor its hash. */
export interface WireToken
  extends Printed<
    Pick<Token, 'id' | 'name' | 'userId' | 'scopes' | 'roomIds' | 'prefix' | 'use' | 'createdAt' | 'expiresAt'>,
    'createdAt' | 'expiresAt'
  > {
  readonly parentId: string | null;
  readonly lastUsedAt: string | null;
}

export function wireToken(token: Token, lastUsedAt: number | null): WireToken {
  const { id, name, userId, scopes, roomIds, prefix, use, parentId = null, createdAt, expiresAt } = token;
  return {
    id,
    name,
    userId,
    scopes,
    roomIds,
    prefix,
    use,
    parentId,
    createdAt: printInstant(createdAt),
    lastUsedAt: printInstantOrNull(lastUsedAt),
    expiresAt: printInstantOrNull(expiresAt),
  };
}

/** The first field beside the name that a PUT would change. */
export function changedField(token: Token, given: v.InferOutput<typeof tokenPut>): string | undefined {
  const now = wireToken(token, null);
  const fixed = ['id', 'userId', 'scopes', 'roomIds', 'expiresAt'] as const;
  return fixed.find(
    (field) => given[field] !== undefined && JSON.stringify(given[field]) !== JSON.stringify(now[field]),
  );
}
