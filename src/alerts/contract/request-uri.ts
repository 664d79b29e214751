const MAX_KNOWN = 1_000;
/** All alerts of a rule have the same generator: checked and stored once. */
const known = new Map<string, string>();

/** The text itself if it is a valid request URI, otherwise undefined. */
export function readRequestUri(text: string): string | undefined {
  const same = known.get(text);
  if (same !== undefined) return same;
  if (!isRequestUri(text)) return undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, text);
  return text;
}

/**
 * Whether a text is a request URI: an absolute URI, an absolute path, or empty. Source: Go's url.ParseRequestURI, by which
 * go-openapi checks the format `uri`.
 */
export function isRequestUri(text: string): boolean {
  if (text === '') return true;
  const uri = text.replace(/#.*$/s, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(uri)) return false;
  const [, scheme, rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(uri) ?? [];
  if (!rest.startsWith('/')) return scheme !== undefined;
  const beforeQuery = rest.split('?', 1)[0] as string;
  if (/%(?![0-9a-fA-F]{2})/.test(beforeQuery)) return false;
  if (scheme === undefined || !rest.startsWith('//')) return true;
  return isAuthority(beforeQuery.slice(2).split('/', 1)[0] as string);
}

/** `user@host:port`; percent signs have been checked to begin an escape. */
function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (/[^\w\-.:~!$&'()*+,;=%@]/.test(authority.slice(0, Math.max(at, 0)))) return false;
  const host = authority.slice(at + 1);
  // Of ASCII only the percent sign itself may be escaped.
  if (/[ \\^`{|}]|%(?!25|[89a-f])/i.test(host)) return false;
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[')) return bracket > 0 && /^(?::\d*)?$/.test(host.slice(bracket + 1));
  const colon = host.lastIndexOf(':');
  return colon < 0 || /^\d*$/.test(host.slice(colon + 1));
}
