import { printInstant } from '../contract/instant.ts';
import { refuse } from '../domain/refusal.ts';
import { requireAdmin } from '../domain/user/change.ts';
import type { RoomStore } from '../store/room-store.ts';
import { answer, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts } from './request/guard.ts';
import { readListQuery } from './request/list-query.ts';

/** Who did what that only admins may do, the last first. */
export function auditPaths({ guard, store }: { readonly guard: GuardParts; readonly store: RoomStore }): Paths {
  return {
    '/api/audit': {
      GET: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const denied = requireAdmin(caller);
        if (denied) return answerRefusal(c, denied);
        const query = readListQuery(c);
        if (!query.ok) return answerRefusal(c, query);
        const { limit, next } = query.value;
        if (next !== undefined && !/^\d{1,15}$/.test(next))
          return answerRefusal(c, refuse('invalid_cursor', 'next: send it as the page before has given it'));
        const entries = await store.audit({ limit, ...(next === undefined ? {} : { before: Number(next) }) });
        const last = entries.length === limit ? entries.at(-1) : undefined;
        return answer(c, {
          entries: entries.map((entry) => ({ ...entry, at: printInstant(entry.at) })),
          next: last ? Buffer.from(String(last.id)).toString('base64url') : null,
        });
      }),
    },
  };
}
