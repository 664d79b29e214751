import type { EnvironmentOptions } from './config/relay-options.ts';

const REQUEST_HEADERS = [
  'Cache-Control',
  'Content-Type',
  'Content-Length',
  'Accept-Encoding',
  'X-LaunchDarkly-User-Agent',
  'X-LaunchDarkly-Payload-ID',
  'X-LaunchDarkly-Wrapper',
  'X-LaunchDarkly-Event-Schema',
  'X-LaunchDarkly-Tags',
  'X-LaunchDarkly-Instance-Id',
  'Authorization',
  'If-None-Match',
].join(',');

export type CorsRules = Pick<EnvironmentOptions, 'allowedOrigins' | 'allowedHeaders'>;
export type CorsHeaders = Readonly<Record<string, string>>;

/** For answers that no environment stands behind. */
export const ANY_ORIGIN: CorsRules = { allowedOrigins: [], allowedHeaders: [] };

/**
 * What a browser is told of an answer. `methods` are those of the path; `origin` is the request's, which is allowed where
 * it is listed or nothing is; otherwise the first of the list stands there, so that the browser refuses.
 */
export function corsHeaders(
  { allowedOrigins, allowedHeaders }: CorsRules,
  origin: string | undefined,
  methods: readonly string[],
): CorsHeaders {
  const allowed = allowOrigin(allowedOrigins, origin);
  return {
    'access-control-allow-origin': allowed,
    'access-control-allow-credentials': 'false',
    'access-control-max-age': '300',
    'access-control-expose-headers': 'Date',
    'access-control-allow-headers': [REQUEST_HEADERS, ...allowedHeaders].join(','),
    'access-control-allow-methods': methods.join(','),
    // A cache between must not hand one origin's answer to another.
    ...(allowed === '*' ? {} : { vary: 'Origin' }),
  };
}

function allowOrigin(allowed: readonly string[], origin: string | undefined): string {
  if (allowed.length === 0) return origin ?? '*';
  return origin !== undefined && allowed.includes(origin) ? origin : (allowed[0] as string);
}
