import type { VersionInfo } from './contract/wire.ts';

/** The Alertmanager whose API is served: clients such as Karma choose by it how to speak. */
export const API_VERSION = '0.34.0';

/** How notifications introduce themselves. */
export const USER_AGENT = `Alertmanager/${API_VERSION}`;

/** Says both which Alertmanager this behaves like and what it really is. */
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
