/** The type of an attribute's value; `unsafe` ones affect how the page is parsed, and values must not name them. */
type ValueKind = 'plain' | 'url' | 'style' | 'script' | 'srcset' | 'html' | 'unsafe';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const NAMES_BY_KIND: readonly (readonly [ValueKind, readonly string[]])[] = [
  [
    'url',
    words(`
      action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src
      usemap xmlns
    `),
  ],
  [
    'unsafe',
    words(`
      accept-charset async challenge charset content crossorigin defer enctype form formenctype formmethod
      formnovalidate http-equiv keytype language method novalidate pattern rel sandbox type value
    `),
  ],
  ['style', ['style']],
  ['srcset', ['srcset']],
  ['html', ['srcdoc']],
  ['plain', ['srclang']],
];

const KINDS: ReadonlyMap<string, ValueKind> = new Map(
  NAMES_BY_KIND.flatMap(([kind, names]) => names.map((name) => [name, kind] as const)),
);

/** The type of an attribute by its lower-case name, also with a namespace or `data-`. */
export function kindOfAttribute(name: string): ValueKind {
  let local = name;
  if (name.startsWith('data-')) {
    local = name.slice(5);
  } else if (name.includes(':')) {
    if (name.startsWith('xmlns:')) return 'url';
    local = name.slice(name.indexOf(':') + 1);
  }
  const known = KINDS.get(local);
  if (known) return known;
  if (local.startsWith('on')) return 'script';
  return /src|uri|url/.test(local) ? 'url' : 'plain';
}
