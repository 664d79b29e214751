import { REQUEST_BOUNDS_S } from '../../kernel/metrics/distribution.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { ClusterMember } from '../contract/wire.ts';
import { differingNodes, type Nodes } from '../state/nodes.ts';

/** `alertmanager_cluster_<name>_total`: messages between members. */
const GOSSIP_COUNTERS: Readonly<Record<string, string>> = {
  messages_pruned: 'How many messages to the cluster were dropped.',
  peer_name_conflicts: 'How often two members had one name.',
  peers_joined: 'How many other members have joined.',
  peers_left: 'How many other members have left.',
  peers_update: 'How many other members have sent updates.',
  reconnections: 'How often a member that had failed was reached again.',
  reconnections_failed: 'How often a member that had failed was not reached.',
  refresh_join: 'How many members were found by asking for their addresses again.',
  refresh_join_failed: 'How many members could not be joined after asking for their addresses again.',
};

/** `alertmanager_cluster_messages_<name>_total{msg_type}`. */
const MESSAGE_COUNTERS: Readonly<Record<string, string>> = {
  received: 'How many messages of the cluster were received.',
  received_size: 'How many bytes the messages had that were received.',
  sent: 'How many messages were sent to the cluster.',
  sent_size: 'How many bytes the messages had that were sent.',
};
const MESSAGE_TYPES = ['full_state', 'update'] as const;

/** `alertmanager_oversized_gossip_message_<name>_total{key}`. */
const OVERSIZED_COUNTERS: Readonly<Record<string, string>> = {
  dropped: 'How many messages that are too long for a packet were dropped.',
  failure: 'How many messages that are too long for a packet could not be sent.',
  sent: 'How many messages that are too long for a packet were sent.',
};
/** The names of the notification log and the silences in gossip. */
const GOSSIPED_STATES = ['nfl', 'sil'] as const;

const PING_BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5];

/**
 * Alertmanager's metrics of its cluster. Metrics of gossip stay 0, and exist because rules and dashboards query them. Without
 * a member clustering is off; without nodes this member is the only one.
 */
export function addClusterMetrics(metrics: Metrics, member: ClusterMember | undefined, nodes: Nodes | undefined): void {
  const number = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, [], (gauge) => gauge.set(read()));
  number('alertmanager_cluster_enabled', 'Whether clustering is switched on.', () => Number(member !== undefined));
  if (!member) return;
  const { name } = member;
  const count = (isAlive: boolean) => nodes?.list().filter((node) => node.isAlive === isAlive).length;
  number('alertmanager_cluster_members', 'How many members the cluster has.', () => count(true) ?? 1);
  number('alertmanager_cluster_failed_peers', 'How many members of the cluster have failed.', () => count(false) ?? 0);
  number('alertmanager_cluster_health_score', 'How healthy the cluster is; 0 is best.', () =>
    Number(nodes?.isUp === false),
  );
  number('alertmanager_cluster_messages_queued', 'How many messages to the cluster wait to be sent.', () => 0);
  number(
    'alertmanager_peer_position',
    'The place of this member in the order in which members notify.',
    () => nodes?.position ?? 0,
  );
  metrics.gauge('alertmanager_cluster_peer_info', 'Always 1, with the name of this member.', ['peer'], (gauge) =>
    gauge.set({ peer: name }, 1),
  );
  if (nodes) addStorageMetrics(number, nodes);
  metrics
    .counter('alertmanager_cluster_alive_messages_total', 'How many messages said that a member is alive.', ['peer'])
    .inc({ peer: name }, 0);
  addGossipCounters(metrics);
  addOversizedMessages(metrics);
  metrics.histogram(
    'alertmanager_cluster_pings_seconds',
    'How long other members took to answer a ping, in seconds.',
    PING_BOUNDS_S,
    ['peer'],
  );
}

/** opsdeck's own, of the database that the nodes share. */
function addStorageMetrics(number: (name: string, help: string, read: () => number) => void, nodes: Nodes): void {
  number('opsdeck_storage_up', 'Whether PostgreSQL can be used.', () => Number(nodes.isUp));
  number(
    'opsdeck_storage_clock_skew_seconds',
    'How far the clock of this machine is ahead of that of PostgreSQL.',
    () => nodes.skewMs / 1000,
  );
  number('opsdeck_cluster_config_mismatch', 'Whether another node has another configuration.', () =>
    Number(differingNodes(nodes).length > 0),
  );
}

function addGossipCounters(metrics: Metrics): void {
  for (const [name, help] of Object.entries(GOSSIP_COUNTERS))
    metrics.counter(`alertmanager_cluster_${name}_total`, help);
  for (const [name, help] of Object.entries(MESSAGE_COUNTERS)) {
    const counter = metrics.counter(`alertmanager_cluster_messages_${name}_total`, help, ['msg_type']);
    for (const type of MESSAGE_TYPES) counter.inc({ msg_type: type }, 0);
  }
}

function addOversizedMessages(metrics: Metrics): void {
  for (const [name, help] of Object.entries(OVERSIZED_COUNTERS)) {
    const counter = metrics.counter(`alertmanager_oversized_gossip_message_${name}_total`, help, ['key']);
    for (const key of GOSSIPED_STATES) counter.inc({ key }, 0);
  }
  const duration = metrics.histogram(
    'alertmanager_oversize_gossip_message_duration_seconds',
    'How long it took to send messages that are too long for a packet, in seconds.',
    REQUEST_BOUNDS_S,
    ['key'],
  );
  for (const key of GOSSIPED_STATES) duration.of({ key });
}
