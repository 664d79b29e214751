import { eventually } from '../../../testing/eventually.ts';
import type { SinkAnswer } from '../../../testing/http/sink.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { startWebhookSink, type WebhookPayload } from '../webhook-sink.ts';

/** A notification as received. */
export interface Delivery {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly idempotencyKey: string;
  readonly payload: WebhookPayload;
  /** The label `alertname`, by which the alerts are grouped. */
  readonly group: string;
  /** The node that has sent it. */
  readonly node: string;
  /** Status and instance of each alert, such as `+a -b`. */
  readonly text: string;
}

export type AnswerDelivery = (delivery: Delivery) => SinkAnswer | Promise<SinkAnswer>;

/** The receiver of all nodes. */
export interface Deliveries {
  readonly url: string;
  /** In the order of arrival. */
  readonly all: readonly Delivery[];
  /** The texts of a group's notifications, in the order of arrival. */
  of(group: string): readonly string[];
  /** Resolves when each of the groups has a notification with this text. */
  seen(groups: readonly string[], text: string): Promise<void>;
  /** Each group's notifications as one text, such as `+a, -a`, with the number of groups that have them. */
  counts(groups: readonly string[]): Readonly<Record<string, number>>;
}

/** The address by which a node names itself in its notifications. */
export const externalUrlOf = (node: string) => `http://${node}.test`;

/** Starts it; it answers 200 by default. */
export async function startDeliveries(t: Cleanup, answer: AnswerDelivery = () => ({})): Promise<Deliveries> {
  const all: Delivery[] = [];
  const { url } = await startWebhookSink(t, (call) => {
    const { externalURL } = JSON.parse(call.body) as { readonly externalURL: string };
    const delivery: Delivery = {
      ...call,
      group: call.payload.alerts[0]?.labels.alertname ?? '',
      node: new URL(externalURL).hostname.replace(/\.test$/, ''),
      text: call.payload.alerts
        .map(({ status, labels }) => (status === 'firing' ? '+' : '-') + labels.instance)
        .sort()
        .join(' '),
    };
    all.push(delivery);
    return answer(delivery);
  });
  const of = (group: string) => all.filter((delivery) => delivery.group === group).map(({ text }) => text);
  return {
    url,
    all,
    of,
    async seen(groups, text) {
      let missing = groups;
      await eventually(`${text} of ${groups.length} groups`, () => {
        const seen = new Set(all.filter((delivery) => delivery.text === text).map(({ group }) => group));
        missing = groups.filter((group) => !seen.has(group));
        return missing.length === 0;
      }).catch((cause) => {
        throw new Error(`${text} is missing for ${missing.length} of ${groups.length} groups`, { cause });
      });
    },
    counts(groups) {
      const counts: Record<string, number> = {};
      const texts = Map.groupBy(all, ({ group }) => group);
      for (const group of groups) {
        const text = (texts.get(group) ?? []).map((delivery) => delivery.text).join(', ');
        counts[text] = (counts[text] ?? 0) + 1;
      }
      return counts;
    },
  };
}

/** Notifications that repeat an earlier one of their group under another key; at a receiver that honours keys there are none. */
export function findOtherKeys(deliveries: readonly Delivery[]): readonly string[] {
  const keys = new Map<string, string>();
  return deliveries
    .filter(({ group, text, idempotencyKey }) => {
      const content = `${group}: ${text}`;
      const first = keys.get(content) ?? idempotencyKey;
      keys.set(content, first);
      return first !== idempotencyKey || idempotencyKey === '';
    })
    .map(({ group, text, node }) => `${group}: ${text} by ${node}`);
}
