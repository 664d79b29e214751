import { printInstant } from '../contract/instant.ts';
import { refuse } from '../domain/refusal.ts';
import { requireAdmin } from '../domain/user/change.ts';
import type { RoomStore } from '../store/store.ts';
import { answer, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { readListQuery } from './request/list-query.ts';

interface AuditRouteParts {
  readonly guard: GuardParts;
  readonly store: RoomStore;
}

/** The audit log: what needed an admin or moderator, the latest entry first. */
export function auditPaths(parts: AuditRouteParts): Paths {
  return { '/api/audit': { GET: admit(parts.guard, { scope: 'admin' }, listAudit(parts)) } };
}

function listAudit({ store }: AuditRouteParts): CallerHandler {
  return async (c, caller) => {
    const denied = requireAdmin(caller);
    if (denied) return answerRefusal(c, denied);
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const { limit, next } = query.value;
    if (next !== undefined && !/^\d{1,15}$/.test(next))
      return answerRefusal(c, refuse('invalid_cursor', 'next: send it as given by the previous page'));
    const entries = await store.audit({ limit, ...(next === undefined ? {} : { before: Number(next) }) });
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return answer(c, {
      entries: entries.map((entry) => ({ ...entry, at: printInstant(entry.at) })),
      next: last ? Buffer.from(String(last.id)).toString('base64url') : null,
    });
  };
}
