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

/** For responses without an environment. */
export const ANY_ORIGIN: CorsRules = { allowedOrigins: [], allowedHeaders: [] };

/**
 * CORS headers. `methods` are those of the path; `origin` is that of the request, allowed if listed or if the list is empty.
 * For any other origin the first listed one is sent, so that the browser refuses the response.
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
    // A shared cache must not serve the response to another origin.
    ...(allowed === '*' ? {} : { vary: 'Origin' }),
  };
}

function allowOrigin(allowed: readonly string[], origin: string | undefined): string {
  if (allowed.length === 0) return origin ?? '*';
  return origin !== undefined && allowed.includes(origin) ? origin : (allowed[0] as string);
}
