import { isIPv6 } from 'node:net';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import type { Kind } from '../../config/kind.ts';
import { quoteGo } from '../../domain/quote.ts';

export interface Smarthost {
  readonly host: string;
  /** A number or the name of a service. */
  readonly port: string;
}

/** Reads `host:port`, with an IPv6 address in brackets. The texts of refusals are Go's. */
export function parseSmarthost(address: string): Outcome<Smarthost> {
  const colon = address.lastIndexOf(':');
  if (colon < 0 || address.endsWith(']')) return refused(`address ${address}: missing port in address`);
  const bracketed = /^\[([^[\]]*)\]$/.exec(address.slice(0, colon));
  const host = bracketed?.[1] ?? address.slice(0, colon);
  if (!bracketed && host.includes(':')) return refused(`address ${address}: too many colons in address`);
  if (!bracketed && /[[\]]/.test(host)) return refused(`address ${address}: unexpected bracket in address`);
  const port = address.slice(colon + 1);
  return port === '' ? refused(`address ${quoteGo(address)}: port cannot be empty`) : accepted({ host, port });
}

export function printSmarthost({ host, port }: Smarthost): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** A `host:port` as in the file; empty when unset. */
export const smarthost: Kind<string> = {
  read(node) {
    const address = node.text();
    if (address === '') return address;
    const parsed = parseSmarthost(address);
    if (!parsed.ok) throw node.fault(parsed.reason);
    return address;
  },
  print: (address) => address,
};

const SERVICES: Readonly<Record<string, number>> = { smtp: 25, smtps: 465, submissions: 465, submission: 587 };

/** Undefined for a service unrelated to mail and for an invalid port. */
export function portNumber(port: string): number | undefined {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : SERVICES[port.toLowerCase()];
  return number !== undefined && number <= 65_535 ? number : undefined;
}
