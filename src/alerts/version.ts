import type { VersionInfo } from './contract/status.ts';

/** The Alertmanager whose API is served: clients such as Karma choose by it how to speak. */
const API_VERSION = '0.34.0';

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
