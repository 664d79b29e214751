import assert from 'node:assert/strict';
import { eventually } from '../../../testing/eventually.ts';
import type { PlainResponse } from '../../../testing/http/client.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { type Cleanup, configFile } from '../../../testing/processes.ts';
import { type AnswerDelivery, type Deliveries, startDeliveries } from './deliveries.ts';
import { ClusterNode, type PostedAlert } from './node.ts';

export interface ClusterPlan {
  /** Number of nodes; 3 by default. */
  readonly size?: number;
  /** By default one in the PostgreSQL of the test run. */
  readonly database?: TestDatabase;
  /** The address that the nodes use for the database, such as that of a proxy. */
  readonly connectBy?: (url: string) => string;
  /** The timing of the route, in YAML. */
  readonly timing?: string;
  /** The receiver's answer; 200 by default. */
  readonly answer?: AnswerDelivery;
}

/** Several alert servers over one database, with one receiver. */
export interface Cluster {
  /** Their names are `node-1`, … */
  readonly nodes: readonly ClusterNode[];
  readonly deliveries: Deliveries;
  node(name: string): ClusterNode;
  /** Posts to all running nodes at once, as Prometheus does; failures are answers of a node that is being stopped. */
  postAll(alerts: readonly PostedAlert[]): Promise<readonly PromiseSettledResult<PlainResponse>[]>;
  /** Resolves when the common history has this many notifications. */
  recorded(count: number): Promise<void>;
}

const SHORT = 'group_wait: 200ms, group_interval: 1s';

/** Starts a cluster, killed after the test. Only after `needsPostgres`. */
export async function startCluster(t: Cleanup, plan: ClusterPlan = {}): Promise<Cluster> {
  const { size = 3, connectBy = (url: string) => url, timing = SHORT, answer } = plan;
  const nodes: ClusterNode[] = [];
  // Registered before everything that they depend on, so that they end first.
  t.after(() => Promise.all(nodes.map((node) => node.kill())));
  const { url } = plan.database ?? (await openTestDatabase());
  const deliveries = await startDeliveries(t, answer);
  const config = `
route: {receiver: hook, group_by: [alertname], ${timing}, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${deliveries.url}/hook"}]}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.url', connectBy(url)];
  for (let number = 1; number <= size; number++) nodes.push(new ClusterNode(t, `node-${number}`, args));
  await Promise.all(nodes.map((node) => node.start()));
  const first = nodes[0] as ClusterNode;
  return {
    nodes,
    deliveries,
    node: (name) => nodes.find((node) => node.name === name) as ClusterNode,
    postAll: (alerts) =>
      Promise.allSettled(nodes.filter(({ isRunning }) => isRunning).map((node) => node.postAlerts(alerts))),
    recorded: async (count) => {
      const isRecorded = async () => {
        const node = nodes.find(({ isRunning }) => isRunning) ?? first;
        return (await node.json<readonly unknown[]>(`/api/v2/notifications?limit=${count + 1}`)).length >= count;
      };
      await eventually(`${count} notifications in the history`, isRecorded, { everyMs: 200 }).catch((cause) => {
        throw new Error(nodes.map(({ name, stderr }) => `${name}:\n${stderr}`).join('\n'), { cause });
      });
    },
  };
}

/** Names of groups. */
export function groupsOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${prefix}${number}`);
}

/** Every node has accepted it. */
export function assertAccepted(answers: readonly PromiseSettledResult<PlainResponse>[]): void {
  for (const answer of answers) assert.equal(answer.status === 'fulfilled' && answer.value.status, 200);
}
