import { readRequestSchema } from '../contract/member.ts';
import { markRead } from '../domain/member/me.ts';
import { answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { answerMe, type MeRouteParts } from './me.ts';
import { readJson } from './request/body.ts';
import { admit } from './request/guard.ts';

/** The path of how far the caller has read. */
export function readPositionPaths(parts: MeRouteParts): Paths {
  const { guard, writer, maxBodyBytes } = parts;
  return {
    '/api/room/:id/read': {
      PUT: admit(guard, { scope: 'read' }, async (c, caller) => {
        const body = await readJson(c, readRequestSchema, maxBodyBytes);
        if (!body.ok) return answerRefusal(c, body);
        const read = markRead(caller, c.req.param('id') ?? '', body.value);
        return answerMe(c, parts, caller, await writer.submit(read));
      }),
    },
  };
}
