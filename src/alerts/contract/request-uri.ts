/**
 * Whether a text may stand as a URI in a request: an absolute URI, or an absolute path; the empty text may, too.
 * Source: Go's url.ParseRequestURI, by which go-openapi checks the format `uri`.
 */
export function isRequestUri(text: string): boolean {
  const uri = text.replace(/#.*$/s, '');
  if (uri === '') return true;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(uri)) return false;
  const [, scheme, rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(uri) ?? [];
  if (!rest.startsWith('/')) return scheme !== undefined;
  const beforeQuery = rest.split('?', 1)[0] as string;
  if (/%(?![0-9a-fA-F]{2})/.test(beforeQuery)) return false;
  if (scheme === undefined || !rest.startsWith('//')) return true;
  const authority = /^\/\/([^/]*)/.exec(beforeQuery)?.[1] ?? '';
  return /^(?:[^@\s]*@)?(?:\[[^\]\s]*\]|[^\s:<>"\\^`{|}[\]]*)(?::\d*)?$/.test(authority);
}
