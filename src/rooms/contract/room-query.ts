import * as v from 'valibot';

/** A whole number as it stands in a query. */
export function countSchema(most: number, usual: number) {
  const message = `must be a whole number from 1 to ${most}`;
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, message),
      v.transform(Number),
      v.minValue(1, message),
      v.maxValue(most, message),
    ),
    String(usual),
  );
}

const choice = v.optional(
  v.pipe(
    v.picklist(['true', 'false', '1', '0'], 'must be true or false'),
    v.transform((text) => text === 'true' || text === '1'),
  ),
);

const labelSchema = v.pipe(
  v.string(),
  v.regex(/^[^=]+=/, 'must be key=value'),
  v.transform((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  }),
);

/** The query of `GET /api/room`. */
export const roomListSchema = v.strictObject({
  joined: choice,
  archived: v.optional(v.picklist(['true', 'false', '1', '0', 'any'], 'must be true, false or any'), 'false'),
  label: v.optional(v.array(labelSchema), []),
  q: v.optional(v.pipe(v.string(), v.maxLength(250, 'must have at most 250 characters')), ''),
  limit: countSchema(200, 50),
  next: v.optional(v.string()),
});

/** How many of its last messages a room is opened with. */
export const openRoomSchema = v.strictObject({
  messages: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, 'must be a number from 0 to 200'),
      v.transform(Number),
      v.maxValue(200, 'must be a number from 0 to 200'),
    ),
  ),
});
