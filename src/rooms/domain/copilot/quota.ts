import type { StateView } from '../change.ts';
import { type QuotaUse, type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import type { CopilotSettings } from './copilot.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Limits = Pick<CopilotSettings, 'limits' | 'maxOutputTokens'>;
interface Asker {
  readonly roomId: string;
  readonly userId: string;
}

const userKey = ({ roomId, userId }: Asker) => `copilot-user/${roomId}/${userId}`;
const roomKey = (roomId: string) => `copilot-room/${roomId}`;
const tokenKey = (roomId: string) => `copilot-tokens/${roomId}`;

/** Counts a run with all the tokens that it may use, or refuses it. A limit of 0 is none. */
export function reserveRun(
  view: StateView,
  asker: Asker,
  { limits, maxOutputTokens }: Limits,
  now: number,
): Outcome<readonly RecordChange[]> {
  const parts = [
    { key: userKey(asker), everyMs: HOUR_MS, limit: limits.perUserPerHour, cost: 1, words: 'runs of yours in an hour' },
    { key: roomKey(asker.roomId), everyMs: HOUR_MS, limit: limits.perRoomPerHour, cost: 1, words: 'runs in an hour' },
    {
      key: tokenKey(asker.roomId),
      everyMs: DAY_MS,
      limit: limits.tokensPerDay,
      cost: maxOutputTokens,
      words: 'tokens in a day',
    },
  ];
  const records: RecordChange[] = [];
  for (const { key, everyMs, limit, cost, words } of parts) {
    const { since, used } = useOf(view, key, everyMs, now);
    if (limit > 0 && used + cost > limit) return refuseQuota(limit, words, since + everyMs - now);
    records.push(record('quota', key, { since, used: used + cost }));
  }
  return accepted(records);
}

/** Replaces the reservation of `reservedAt` by the run's actual cost. */
export function settleRun(
  view: StateView,
  roomId: string,
  { reserved, reservedAt, cost }: { readonly reserved: number; readonly reservedAt: number; readonly cost: number },
  now: number,
): RecordChange {
  const { since, used } = useOf(view, tokenKey(roomId), DAY_MS, now);
  // A reservation of yesterday is not counted today; tokens spent now are.
  const left = windowOf(reservedAt, DAY_MS) === since ? used - reserved : used;
  return record('quota', tokenKey(roomId), { since, used: Math.max(0, left + cost) });
}

function useOf(view: StateView, key: string, everyMs: number, now: number): QuotaUse {
  const since = windowOf(now, everyMs);
  const found = view.get('quota', key);
  return found?.since === since ? found : { since, used: 0 };
}

const windowOf = (at: number, everyMs: number): number => Math.floor(at / everyMs) * everyMs;

function refuseQuota(limit: number, words: string, waitMs: number): Refusal {
  return refuse('copilot_quota', `the copilot of this room may make ${limit} ${words}; try again later`, {
    retryAfterS: Math.ceil(waitMs / 1000),
  });
}
