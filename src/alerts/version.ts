import type { VersionInfo } from './contract/wire.ts';

/** The Alertmanager whose API is served; clients such as Karma choose their protocol by it. */
export const API_VERSION = '0.34.0';

/** The user agent of notifications. */
export const USER_AGENT = `Alertmanager/${API_VERSION}`;

/** Names both the Alertmanager that this behaves like and opsdeck. */
export function describeVersion(): VersionInfo {
  return {
    version: API_VERSION,
    revision: `opsdeck-${OPSDECK_VERSION}`,
    branch: 'opsdeck',
    buildUser: 'opsdeck',
    buildDate: OPSDECK_BUILD.date,
    goVersion: `none, Node.js ${process.version}`,
  };
}
