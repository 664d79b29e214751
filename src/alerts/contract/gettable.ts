import type { Alert } from '../domain/alert.ts';
import { ACTIVE, type AlertStatus } from '../domain/alert-status.ts';
import { labelsJson } from '../domain/label-set.ts';
import type { Silence, SilenceState } from '../domain/silence.ts';
import { formatInstant } from './instant.ts';
import type * as wire from './wire.ts';

// Answers are joined from texts that were printed when their parts last changed. The key order is Alertmanager's.

const printStatus = ({ state, silencedBy, inhibitedBy, mutedBy }: AlertStatus): string =>
  JSON.stringify({ inhibitedBy, mutedBy, silencedBy, state } satisfies wire.Alert['status']);
const ACTIVE_JSON = printStatus(ACTIVE);

/** `[{"name":"a"},{"name":"b"}]` for the receivers of an alert. */
export function printReceivers(names: readonly string[]): string {
  return JSON.stringify(names.map((name) => ({ name })) satisfies wire.Alert['receivers']);
}

/** A wire.Alert; `receiversJson` comes from printReceivers. */
export function printAlert(alert: Alert, receiversJson: string, status: AlertStatus): string {
  const statusJson = status === ACTIVE ? ACTIVE_JSON : printStatus(status);
  const generator = alert.generatorURL === '' ? '' : `"generatorURL":${JSON.stringify(alert.generatorURL)},`;
  // Joined, because it is kept: V8 would keep a concatenation as a tree of its parts.
  return [
    `{"annotations":${alert.annotationsJson},"endsAt":"${formatInstant(alert.endsAt)}","fingerprint":"${alert.fingerprint}"`,
    `"receivers":${receiversJson},"startsAt":"${formatInstant(alert.startsAt)}","status":${statusJson}`,
    `"updatedAt":"${formatInstant(alert.updatedAt)}",${generator}"labels":${labelsJson(alert.labels)}}`,
  ].join(',');
}

/** A wire.Silence. */
export function printSilence(silence: Silence, state: SilenceState): string {
  const { id, updatedAt, annotations, comment, createdBy, endsAt, matchers, startsAt } = silence;
  return JSON.stringify({
    id,
    status: { state },
    updatedAt: formatInstant(updatedAt),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    comment,
    createdBy,
    endsAt: formatInstant(endsAt),
    matchers: matchers.map(({ name, operator, value }) => ({
      isEqual: operator === '=' || operator === '=~',
      isRegex: operator === '=~' || operator === '!~',
      name,
      value,
    })),
    startsAt: formatInstant(startsAt),
  } satisfies wire.Silence);
}
