import { BlockList, isIP } from 'node:net';

/** `private`: of this machine or of a network of its own; only where an admin has allowed it. */
export type AddressClass = 'public' | 'private' | 'forbidden';

/** Nobody who speaks for a room has business there, whatever was allowed: link-local (metadata of clouds), multicast, nowhere. */
const FORBIDDEN = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Metadata outside the link-local range: Oracle, Alibaba, AWS.
  ['192.0.0.192', 32],
  ['100.100.100.200', 32],
  ['fd00:ec2::254', 128],
  ['::', 128],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // Teredo hides an address of its own; NAT64 with a prefix of one's own likewise.
  ['2001::', 32],
  ['64:ff9b:1::', 48],
]);

const PRIVATE = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['::1', 128],
  ['fc00::', 7],
]);

/**
 * What an IP address, as resolvers print it, stands for. An IPv4 address inside an IPv6 one (mapped, compatible, NAT64,
 * 6to4) is judged by itself. What is no address is forbidden.
 */
export function classifyAddress(address: string): AddressClass {
  const bare = address.split('%')[0] ?? '';
  const family = isIP(bare);
  if (family === 0) return 'forbidden';
  if (family === 4) return classify(bare, 'ipv4');
  const inner = embeddedIpv4(expand(bare));
  return inner === undefined ? classify(bare, 'ipv6') : classify(inner, 'ipv4');
}

function classify(address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  if (FORBIDDEN.check(address, family)) return 'forbidden';
  return PRIVATE.check(address, family) ? 'private' : 'public';
}

function blockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

/** The eight groups of an IPv6 address. */
function expand(address: string): readonly number[] {
  // The URL parser writes all forms in one, a dotted tail too.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return groups(head);
  const [front, back] = [groups(head), groups(tail)];
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [g0 = 0, g1 = 0, g2 = 0, , , g5 = 0, g6 = 0, g7 = 0] = groups;
  const dotted = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  if (g0 === 0x2002) return dotted(g1, g2);
  if (g0 === 0x64 && g1 === 0xff9b && isZero(2, 6)) return dotted(g6, g7);
  if (!isZero(0, 5)) return undefined;
  if (g5 === 0xffff) return dotted(g6, g7);
  // ::1 and :: are addresses of their own; ::a.b.c.d is a form that nobody needs any more.
  return g5 === 0 && g6 !== 0 ? dotted(g6, g7) : undefined;
}
