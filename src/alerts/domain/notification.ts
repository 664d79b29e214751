import { hash } from 'node:crypto';

/** Why a group is notified, as templates see it. */
export type NotificationReason =
  | 'first notification'
  | 'new alerts added'
  | 'all alerts resolved'
  | 'some alerts resolved'
  | 'repeat interval elapsed';

/** Names and values of labels or annotations, sorted by the UTF-8 bytes of the names. */
export type Pairs = Readonly<Record<string, string>>;

/** An alert in a notification. Instants are epoch milliseconds. */
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

/** Data that an integration keeps between messages about a group, such as the id of a message to update. */
export type ReceiverData = Readonly<Record<string, string | number>>;

/** A group of alerts for one integration of a receiver. */
export interface Notification {
  /** The idempotency key: the same for all attempts, also after a crash, and unique; undefined for a drill. */
  readonly id?: string | undefined;
  readonly receiver: string;
  /** `{}/{severity="page"}:{alertname="X"}` */
  readonly groupKey: string;
  readonly groupLabels: Pairs;
  /** Already rendered. */
  readonly routeLabels: Pairs;
  /** Never empty; by job, instance and labels. Only firing ones if send_resolved is off. */
  readonly alerts: readonly NotifiedAlert[];
  readonly reason: NotificationReason;
  /** The instant of the flush. */
  readonly flushedAt: number;
  /** The data of the group's last notification; empty at the first. */
  readonly receiverData: ReceiverData;
}

/** Firing if any alert fires. */
export function notificationStatus(alerts: readonly NotifiedAlert[]): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved';
}

/** The pairs that all share. */
export function commonPairs(all: readonly Pairs[]): Pairs {
  const [first, ...others] = all;
  if (!first) return {};
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((pairs) => pairs[name] === value)),
  );
}

/** The key of a group for services that limit its length: sha256, in hexadecimal digits. */
export function groupHash({ groupKey }: Notification): string {
  return hash('sha256', groupKey);
}
