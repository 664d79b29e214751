/** The relay whose behaviour this is: what /status tells, and whom upstream takes this for. */
export const RELAY_VERSION = '8.10.1';
/** LaunchDarkly's server-side SDK for Go in that relay. */
export const CLIENT_VERSION = '7.7.0';
