import { hash } from 'node:crypto';

/** Why a group is told of, in the words that templates see. */
export type NotificationReason =
  | 'first notification'
  | 'new alerts added'
  | 'all alerts resolved'
  | 'some alerts resolved'
  | 'repeat interval elapsed';

/** Names and values of labels or annotations, sorted by the UTF-8 bytes of the names. */
export type Pairs = Readonly<Record<string, string>>;

/** An alert as it is told of. Instants are epoch milliseconds. */
export interface NotifiedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly startsAt: number;
  /** Undefined while it fires. */
  readonly endsAt: number | undefined;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

/** What an integration sends on from its last message about a group to the next, such as the id of a message to update. */
export type ReceiverData = Readonly<Record<string, string | number>>;

/** A group of alerts on its way to one integration of a receiver. */
export interface Notification {
  /** The same when it is tried again, also after a crash, and another for every other; undefined for a drill. */
  readonly id?: string | undefined;
  readonly receiver: string;
  /** `{}/{severity="page"}:{alertname="X"}` */
  readonly groupKey: string;
  readonly groupLabels: Pairs;
  /** Already rendered. */
  readonly routeLabels: Pairs;
  /** Never empty; by job, instance and labels. Only firing ones where the integration does not want resolved ones. */
  readonly alerts: readonly NotifiedAlert[];
  readonly reason: NotificationReason;
  /** The instant of the flush. */
  readonly flushedAt: number;
  /** What the last notification of this group left behind; empty at the first. */
  readonly receiverData: ReceiverData;
}

/** Firing as soon as any alert fires. */
export function notificationStatus(alerts: readonly NotifiedAlert[]): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved';
}

/** The pairs that all have. */
export function commonPairs(all: readonly Pairs[]): Pairs {
  const [first, ...others] = all;
  if (!first) return {};
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((pairs) => pairs[name] === value)),
  );
}

/** The key of a group where a service limits how long a key may be: sha256, in hexadecimal digits. */
export function groupHash({ groupKey }: Notification): string {
  return hash('sha256', groupKey);
}
