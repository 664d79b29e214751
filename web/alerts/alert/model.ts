import type { Alert, AlertGroup, LabelSet } from '../../../src/alerts/contract/wire.ts';

/** A group of the server that contains an alert. */
export interface Membership {
  readonly receiver: string;
  readonly labels: LabelSet;
  /** The time intervals that mute the alert for this receiver. */
  readonly mutedBy: readonly string[];
}

/**
 * An alert once, however many groups and receivers it has: active if any group says so, and muted only if every group mutes
 * it. `receivers` are those of the groups.
 */
export interface ListedAlert extends Alert {
  readonly memberships: readonly Membership[];
}

/** The alerts of all groups by fingerprint, in the order of the groups. */
export function mergeAlerts(groups: readonly AlertGroup[]): ReadonlyMap<string, ListedAlert> {
  const found = new Map<string, { readonly alerts: Alert[]; readonly memberships: Membership[] }>();
  for (const { receiver, labels, alerts } of groups) {
    for (const alert of alerts) {
      const membership = { receiver: receiver.name, labels, mutedBy: alert.status.mutedBy };
      const known = found.get(alert.fingerprint);
      known?.alerts.push(alert);
      known?.memberships.push(membership);
      if (!known) found.set(alert.fingerprint, { alerts: [alert], memberships: [membership] });
    }
  }
  return new Map([...found].map(([fingerprint, { alerts, memberships }]) => [fingerprint, merge(alerts, memberships)]));
}

function merge(alerts: readonly Alert[], memberships: readonly Membership[]): ListedAlert {
  const [first] = alerts as [Alert];
  const isMuted = memberships.every(({ mutedBy }) => mutedBy.length > 0);
  const isActive = alerts.some(({ status }) => status.state === 'active');
  return {
    ...first,
    receivers: [...new Set(memberships.map(({ receiver }) => receiver))].map((name) => ({ name })),
    memberships,
    status: {
      ...first.status,
      state: isActive ? 'active' : first.status.state,
      mutedBy: isMuted ? [...new Set(memberships.flatMap(({ mutedBy }) => mutedBy))] : [],
    },
  };
}

export const isSilenced = ({ status }: Alert): boolean => status.silencedBy.length > 0;
export const isInhibited = ({ status }: Alert): boolean => status.inhibitedBy.length > 0;
export const isMuted = ({ status }: Alert): boolean => status.mutedBy.length > 0;

/** The receivers for which an alert is muted while others get it; empty for one muted everywhere. */
export function mutedReceivers(alert: ListedAlert): readonly string[] {
  if (isMuted(alert)) return [];
  return alert.memberships.filter(({ mutedBy }) => mutedBy.length > 0).map(({ receiver }) => receiver);
}
