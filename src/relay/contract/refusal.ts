// ld-relay's error texts, byte for byte: people search for them, and tools compare them. The last two are the relay's own.

export const NO_ENVIRONMENTS_YET = 'Relay Proxy is not yet fully initialized, does not have list of environments yet';
export const UNKNOWN_FILTER = 'Relay Proxy recognizes the provided credential, but the payload filter was not found';
export const UNKNOWN_KEY =
  'Relay Proxy does not recognize the client credential (missing or invalid Authorization header)';
export const UNKNOWN_ENVIRONMENT_ID = 'URL did not contain an environment ID';
export const NO_CLIENT_YET = 'client was not initialized';
export const NOT_JSON = 'Content-Type must be application/json.';
export const PAGE_NOT_FOUND = '404 page not found\n';

export const BAD_BASE64 = 'context part of URL path did not decode as valid base64';
export const BAD_CONTEXT = 'context part of URL path did not decode to valid evaluation context as JSON';
export const BAD_HASH = 'Environment is in secure mode, and context hash does not match.';
export const NO_DATA_YET = 'Service not initialized';
export const KEY_IS_EMPTY = "User must have a 'key' attribute";
export const BODY_UNREADABLE = 'unable to read request body';
export const GOALS_UNREACHABLE = 'upstream did not return the goals';
export const FALLBACK = 'flag delivery version 2 is not supported; use version 1';
