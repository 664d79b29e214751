import { isIP } from 'node:net';
import { bare, hostnameOf, isLoopbackHost } from '../kernel/http/site-address.ts';

/** Who may be asked for: what a browser sends as Host decides, not where the connection came from. */
export interface AccessRules {
  readonly host: string;
  readonly allowRemote: boolean;
  /** In small letters. */
  readonly allowedHosts: readonly string[];
  /** The name of this machine. */
  readonly machineName: string;
}

/**
 * Whether a request's Host is one of this server's. A foreign name that resolves to this machine is how a page of
 * somebody else reads a local server (DNS rebinding); an address cannot be rebound.
 */
export function isOwnHost(header: string | undefined, rules: AccessRules): boolean {
  const name = hostnameOf(header);
  if (name === undefined) return false;
  if (isLoopbackHost(name) || rules.allowedHosts.includes(name)) return true;
  if (!rules.allowRemote) return false;
  const machine = rules.machineName.toLowerCase();
  return isIP(name) !== 0 || [bare(rules.host), machine, `${machine}.local`].includes(name);
}
