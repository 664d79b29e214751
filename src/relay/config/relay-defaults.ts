import type { EnvironmentOptions } from './relay-options.ts';

export const DEFAULT_BASE_URI = 'https://sdk.launchdarkly.com';
/** The default of older versions, which means the same. */
export const FORMER_BASE_URI = 'https://app.launchdarkly.com';
export const DEFAULT_CLIENT_SIDE_BASE_URI = 'https://clientsdk.launchdarkly.com';
/** Where ld-relay's packages put its configuration. */
export const DEFAULT_CONFIG_FILE = '/etc/ld-relay.conf';

export const ENVIRONMENT_DEFAULTS: Omit<EnvironmentOptions, 'name' | 'sdkKey'> = {
  mobileKey: undefined,
  envId: undefined,
  secureMode: false,
  allowedOrigins: [],
  allowedHeaders: [],
  ttlMs: 0,
  logLevel: undefined,
  projKey: undefined,
  filter: undefined,
  dataFile: undefined,
  storePrefix: undefined,
  storeTable: undefined,
};

/**
 * The environment of flag files if no other is configured. These keys are those of the sample, which is no secret; other
 * flag files have keys of their own. See local-keys.ts.
 */
export const LOCAL_ENVIRONMENT = {
  ...ENVIRONMENT_DEFAULTS,
  name: 'local',
  sdkKey: 'sdk-local',
  mobileKey: 'mob-local',
  envId: 'local',
} as const;
export const LOCAL_HOST = '127.0.0.1';
