import { isIPv6 } from 'node:net';

/**
 * The identity of a client: its IPv4 address, or the /64 network of its IPv6 address, in which it may choose any address.
 * Connections without an address, such as those of a Unix socket, count as one client.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return '';
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? [];
  return mapped ?? `${firstGroups(plain).join(':')}::/64`;
}

function firstGroups(address: string): readonly string[] {
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  // An IPv4 address at the end stands for two groups, but is never in the first four.
  const after = tail ? tail.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group])) : [];
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase());
}
