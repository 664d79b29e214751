import type { Outcome } from '../../kernel/outcome.ts';
import type { DashboardUser } from '../config/config.ts';
import { type UpstreamFailed, unexpected } from './answer.ts';
import type { Upstream } from './upstream.ts';

const SUMMARY_MS = 60_000;

/** The billing cycle of a user as upstream tells it: an object that is handed on as it is. */
export async function fetchSummary(
  upstream: Pick<Upstream, 'ask'>,
  user: DashboardUser,
  now: number,
  signal?: AbortSignal,
): Promise<Outcome<unknown, UpstreamFailed>> {
  const path = '/api/usage-summary';
  const answer = await upstream.ask({ method: 'GET', path, user, deadlineAt: now + SUMMARY_MS, signal });
  if (!answer.ok) return answer;
  const { value } = answer;
  const isSummary = typeof value === 'object' && value !== null && !Array.isArray(value);
  // An error that comes with status 200 is no summary.
  if (isSummary && !('error' in value)) return answer;
  return { ok: false, failure: unexpected('upstream answered JSON that is no summary') };
}
