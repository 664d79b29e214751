import { isIP } from 'node:net';
import { bare, hostnameOf, isLoopbackHost } from '../kernel/http/site-address.ts';

/** Which Host headers are accepted. The peer's address is not considered. */
export interface AccessRules {
  readonly host: string;
  readonly allowRemote: boolean;
  /** In lower case. */
  readonly allowedHosts: readonly string[];
  /** The name of this machine. */
  readonly machineName: string;
}

/**
 * Whether a request's Host names this server. A foreign name that resolves to this machine would let a page of another
 * site read a local server (DNS rebinding); an address cannot be rebound.
 */
export function isOwnHost(header: string | undefined, rules: AccessRules): boolean {
  const name = hostnameOf(header);
  if (name === undefined) return false;
  if (isLoopbackHost(name) || rules.allowedHosts.includes(name)) return true;
  if (!rules.allowRemote) return false;
  const machine = rules.machineName.toLowerCase();
  return isIP(name) !== 0 || [bare(rules.host), machine, `${machine}.local`].includes(name);
}
