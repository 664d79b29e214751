import { BlockList, isIP } from 'node:net';

/** `private`: of this machine or a private network; allowed only with an admin's permission. */
export type AddressClass = 'public' | 'private' | 'forbidden';

/** Every block of IANA's registries of special-purpose addresses (RFC 6890), and the metadata services of clouds. */
const SPECIAL: readonly (readonly [net: string, prefix: number, is: Exclude<AddressClass, 'public'>])[] = [
  ['0.0.0.0', 8, 'forbidden'], // this network
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'], // behind a provider's NAT
  ['100.100.100.200', 32, 'forbidden'], // metadata: Alibaba
  ['127.0.0.0', 8, 'private'],
  ['168.63.129.16', 32, 'forbidden'], // metadata: Azure
  ['169.254.0.0', 16, 'forbidden'], // link-local; metadata of most clouds
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'], // protocol assignments
  ['192.0.0.192', 32, 'forbidden'], // metadata: Oracle
  ['192.0.2.0', 24, 'forbidden'], // documentation
  ['192.31.196.0', 24, 'forbidden'], // AS112
  ['192.52.193.0', 24, 'forbidden'], // AMT
  ['192.88.99.0', 24, 'forbidden'], // 6to4 relays
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'forbidden'], // AS112
  ['198.18.0.0', 15, 'private'], // benchmarks
  ['198.51.100.0', 24, 'forbidden'], // documentation
  ['203.0.113.0', 24, 'forbidden'], // documentation
  ['224.0.0.0', 4, 'forbidden'], // multicast
  ['240.0.0.0', 4, 'forbidden'], // reserved, broadcast
  ['::1', 128, 'private'],
  ['2001::', 23, 'forbidden'], // protocol assignments: Teredo, ORCHID, benchmarks and others
  ['2001:db8::', 32, 'forbidden'], // documentation
  ['2002::', 16, 'forbidden'], // 6to4
  ['2620:4f:8000::', 48, 'forbidden'], // AS112
  ['3fff::', 20, 'forbidden'], // documentation
  ['fc00::', 7, 'private'],
  ['fd00:42::42', 128, 'forbidden'], // metadata: Scaleway
  ['fd00:c1::a9fe:a9fe', 128, 'forbidden'], // metadata: Oracle
  ['fd00:ec2::', 32, 'forbidden'], // metadata and its kind: AWS
  ['fd20:ce::254', 128, 'forbidden'], // metadata: Google
];

const FORBIDDEN = blockList(SPECIAL.filter(([, , is]) => is === 'forbidden'));
const PRIVATE = blockList(SPECIAL.filter(([, , is]) => is === 'private'));
/** The IPv6 space allocated by IANA; the rest is not routed publicly. */
const GLOBAL = blockList([
  ['0.0.0.0', 0],
  ['2000::', 3],
]);

/** An IPv4 address in an IPv6 one: mapped, or of NAT64, as a DNS64 resolver returns it. */
const EMBEDDED = /^(?:::ffff|64:ff9b:):([\da-f]{1,4}):([\da-f]{1,4})$/;

/** The class of an IP address as printed by resolvers; anything else is forbidden. */
export function classifyAddress(address: string): AddressClass {
  const bare = address.split('%')[0] ?? '';
  const family = isIP(bare);
  if (family === 0) return 'forbidden';
  if (family === 4) return classify(bare, 'ipv4');
  // The URL parser normalises all forms of an address.
  const [, high, low] = EMBEDDED.exec(new URL(`http://[${bare}]/`).hostname.slice(1, -1)) ?? [];
  if (high === undefined || low === undefined) return classify(bare, 'ipv6');
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return classify([h >> 8, h & 255, l >> 8, l & 255].join('.'), 'ipv4');
}

function classify(address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  if (FORBIDDEN.check(address, family)) return 'forbidden';
  if (PRIVATE.check(address, family)) return 'private';
  return GLOBAL.check(address, family) ? 'public' : 'forbidden';
}

function blockList(blocks: readonly (readonly [net: string, prefix: number, ...unknown[]])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of blocks) list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}
