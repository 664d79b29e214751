export const SECTIONS = ['flags', 'changes', 'status', 'connect'] as const;
export type Section = (typeof SECTIONS)[number];

/** A place on the page, as the hash of its address. */
export interface Route {
  readonly section: Section | 'unknown';
  /** The key of a flag in the section of flags. */
  readonly flag: string | undefined;
  /** Undefined: the first one. */
  readonly environment: string | undefined;
}

/** `#/flags/<key>?env=<name>`; an empty hash is the list of flags. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const [, section = '', key, ...rest] = path.split('/');
  const environment = new URLSearchParams(query).get('env') ?? undefined;
  const known = SECTIONS.find((one) => one === (section || 'flags'));
  if (!known || rest.length > 0 || (key !== undefined && known !== 'flags'))
    return { section: 'unknown', flag: undefined, environment };
  return { section: known, flag: key ? decode(key) : undefined, environment };
}

export function formatHash({ section, flag, environment }: Route): string {
  const key = flag === undefined ? '' : `/${encodeURIComponent(flag)}`;
  const query = environment === undefined ? '' : `?${new URLSearchParams({ env: environment })}`;
  return `#/${section}${key}${query}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
