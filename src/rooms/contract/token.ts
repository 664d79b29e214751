import * as v from 'valibot';
import { SCOPES, type Token } from '../domain/token/token.ts';
import { printInstant, printInstantOrNull } from './instant.ts';
import { instantSchema, ownedSchema } from './text.ts';
import { personName } from './user.ts';

const scopes = v.pipe(
  v.array(v.picklist(SCOPES, `one of ${SCOPES.join(', ')}`), 'write a list of scopes'),
  v.minLength(1, 'at least one scope'),
);
const roomIds = v.pipe(
  v.array(v.string('write ids or slugs of rooms'), 'write a list of rooms'),
  v.minLength(1, 'at least one room'),
  v.maxLength(100, '100 rooms at the most'),
);

export const tokenPost = v.strictObject({
  name: personName,
  userId: v.optional(v.string('write a text')),
  scopes: v.optional(scopes),
  roomIds: v.optional(v.nullable(roomIds)),
  expiresAt: v.optional(v.nullable(instantSchema)),
});

/** What GET answers is taken again; but for its name a token does not change. */
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
export function wireToken(token: Token, lastUsedAt: number | null): object {
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

/** What a PUT would change beside the name: the first field that is not as it was. */
export function changedField(token: Token, given: v.InferOutput<typeof tokenPut>): string | undefined {
  const now = wireToken(token, null) as Readonly<Record<string, unknown>>;
  const fixed = ['id', 'userId', 'scopes', 'roomIds', 'expiresAt'] as const;
  return fixed.find(
    (field) => given[field] !== undefined && JSON.stringify(given[field]) !== JSON.stringify(now[field]),
  );
}
