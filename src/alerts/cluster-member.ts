import { networkInterfaces } from 'node:os';
import { type ListenAddress, printHostPort } from '../kernel/http/listen-address.ts';
import type { ClusterMember, ServerStatus } from './contract/wire.ts';
import type { Nodes } from './state/nodes.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * This server as the only member of its cluster. Clients of Alertmanager, its own test suite among them, take a
 * cluster without a peer for one that has not started. Nothing listens at the address; `webPort` stands for a port 0.
 */
export function describeMember(
  listen: ListenAddress | undefined,
  name: string | undefined,
  webPort = 0,
): ClusterMember | undefined {
  if (!listen) return undefined;
  const host =
    listen.host === undefined || listen.host === '0.0.0.0' || listen.host === '::' ? ownAddress() : listen.host;
  return { name: name ?? randomName(), address: printHostPort(host, listen.port || webPort) };
}

/** The cluster as /status shows it. `nodes` is undefined where there is only one. */
export function describeCluster(member: ClusterMember | undefined, nodes: Nodes | undefined): ServerStatus['cluster'] {
  if (!member) return { peers: [], status: 'disabled' };
  if (!nodes) return { name: member.name, peers: [{ name: member.name, address: member.address }], status: 'ready' };
  const live = nodes.list().filter(({ isAlive }) => isAlive);
  const peers = live.map(({ name, address }) => ({ name, address }));
  return { name: member.name, peers, status: nodes.isUp ? 'ready' : 'settling' };
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** 26 letters and digits, like the names of Alertmanager's members. */
function randomName(): string {
  return Array.from({ length: 26 }, () => CROCKFORD[Math.floor(Math.random() * CROCKFORD.length)]).join('');
}
