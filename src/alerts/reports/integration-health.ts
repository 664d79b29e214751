import type { Condition } from '../../kernel/conditions.ts';
import { formatInstant } from '../contract/instant.ts';
import type { FailingIntegration, IntegrationHealth } from '../contract/integration-health.ts';
import { type Failure, failureOf, noteFailure } from '../pipeline/notification/health.ts';
import type { Receiver } from '../pipeline/receiver.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { AlertGroup } from '../store/group.ts';
import { decideGroup, type ExplanationParts } from './explanation.ts';

/** How long retries may fail before they are reported: a service that restarts is no failure. */
const MIN_RETRIED_MS = 30_000;
const RECALLED_MS = 24 * 3_600_000;
const MAX_RECALLED = 1_000;

type Failing = NonNullable<IntegrationHealth['failing']>;

/** All integrations that a route uses, with what became of their notifications. */
export function describeIntegrations({ state, plan, now }: ExplanationParts): readonly IntegrationHealth[] {
  const failing = failuresByReceiver({ state, plan, now });
  return [...plan.current.receivers.values()].flatMap(({ name: receiver, integrations }) =>
    integrations.map(({ name: integration, index }) => {
      const place = { receiver, integration, index };
      const { sent, failed, lastSentAt, lastFailedAt } = state.health.countsOf(place);
      const failures = failing.get(receiver)?.filter((one) => one.integration === integration && one.index === index);
      return {
        ...{ ...place, sent, failed },
        ...(lastSentAt !== undefined && { lastSentAt: formatInstant(lastSentAt) }),
        ...(lastFailedAt !== undefined && { lastFailedAt: formatInstant(lastFailedAt) }),
        ...(failures?.length && { failing: sumUp(failures) }),
      };
    }),
  );
}

/** The integrations that groups wait for since an attempt failed; usually none. */
export function listFailingIntegrations(parts: ExplanationParts): readonly FailingIntegration[] {
  if (parts.state.health.isSound) return [];
  return describeIntegrations(parts).flatMap(({ receiver, integration, index, failing }) =>
    failing ? [{ receiver, integration, index, ...failing }] : [],
  );
}

/** The condition of a server whose notifications fail. */
export function failingCondition({
  receiver,
  integration,
  index,
  groups,
  since,
  error,
}: FailingIntegration): Condition {
  const count = groups === 1 ? '1 group' : `${groups} groups`;
  return {
    code: 'notifications_fail',
    text: `notifications fail: ${receiver} (${integration}[${index}]) has not accepted ${count} since ${since}: ${error}`,
    values: { receiver, since, error },
  };
}

/** Takes up the failures before the start from the history, so that their beginning is known. */
export async function recallFailures({ health, notificationLog, storage }: AlertState, now: number): Promise<void> {
  const query = { failed: true, since: now - RECALLED_MS, limit: MAX_RECALLED };
  for (const record of await storage.notifications.list(query)) {
    if (record.error !== undefined) noteFailure({ health, notificationLog }, failureOf(record, record.error));
  }
}

function sumUp(failures: readonly Failure[]): Failing {
  const last = failures.reduce((a, b) => (a.at > b.at ? a : b));
  const since = Math.min(...failures.map((failure) => failure.since));
  return { groups: failures.length, since: formatInstant(since), error: last.error };
}

/** Failures of groups that still need the notification. */
function failuresByReceiver({ state, plan, now }: ExplanationParts): ReadonlyMap<string, readonly Failure[]> {
  const failures = [...state.health.failures()].filter((one) => !one.isRetried || now - one.since >= MIN_RETRIED_MS);
  if (failures.length === 0) return new Map();
  state.silencer.settle(now);
  const groups = new Map(state.groups.sorted().map((group) => [placeOf(group.receiver, group.key), group]));
  const isOwed = (failure: Failure) => {
    const group = groups.get(placeOf(failure.receiver, failure.groupKey));
    const receiver = plan.current.receivers.get(failure.receiver);
    return group !== undefined && receiver !== undefined && isWaiting({ group, receiver, failure, state, now });
  };
  return Map.groupBy(failures.filter(isOwed), ({ receiver }) => receiver);
}

interface Waiting extends Pick<ExplanationParts, 'state' | 'now'> {
  readonly group: AlertGroup;
  readonly receiver: Receiver;
  readonly failure: Failure;
}

/** False if another node has sent it meanwhile, its alerts are silenced, or a new configuration has no such integration. */
function isWaiting({ group, receiver, failure, state, now }: Waiting): boolean {
  return decideGroup(receiver, group, state, now).some(
    ({ integration, index, wouldSend }) => wouldSend && integration === failure.integration && index === failure.index,
  );
}

function placeOf(receiver: string, groupKey: string): string {
  return `${receiver}\n${groupKey}`;
}
