import type { Outcome } from '../../kernel/outcome.ts';
import type { DashboardUser } from '../config/config.ts';
import { type UpstreamFailed, unexpected } from './answer.ts';
import type { Upstream } from './upstream.ts';

const SUMMARY_MS = 60_000;

/** A user's billing cycle: upstream's object, unchanged. */
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
  // Errors may come with status 200.
  if (isSummary && !('error' in value)) return answer;
  return { ok: false, failure: unexpected('the upstream answer is not a summary') };
}
