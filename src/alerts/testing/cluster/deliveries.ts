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
  /** Resolves with the first that passes the test. */
  first(what: string, test: (delivery: Delivery) => boolean): Promise<Delivery>;
  /** Resolves when each of the groups has a notification with this text. */
  seen(groups: readonly string[], text: string): Promise<void>;
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
  return {
    url,
    all,
    first: (what, test) => eventually(what, () => all.find(test)),
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
  };
}

/** Each group's notifications as one text, such as `+a, -a`, with the number of groups that have them. */
export function countTexts(
  deliveries: readonly Delivery[],
  groups: readonly string[],
): Readonly<Record<string, number>> {
  const byGroup = Map.groupBy(deliveries, ({ group }) => group);
  const counts: Record<string, number> = {};
  for (const group of groups) {
    const text = (byGroup.get(group) ?? []).map((delivery) => delivery.text).join(', ');
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

/** As a receiver sees them that drops every notification whose key it knows. */
export function withoutKnownKeys(deliveries: readonly Delivery[]): readonly Delivery[] {
  const known = new Set<string>();
  return deliveries.filter(({ idempotencyKey }) => {
    const isKnown = known.has(idempotencyKey);
    known.add(idempotencyKey);
    return !isKnown;
  });
}
