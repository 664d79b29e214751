// The colours' CSS custom properties; their values are in palette.css.

const FAMILIES: Readonly<Record<string, string>> = {
  Auto: '--family-auto',
  'Claude Opus': '--family-claude-opus',
  'Claude Sonnet': '--family-claude-sonnet',
  'Claude Haiku': '--family-claude-haiku',
  Claude: '--family-claude',
  'GPT Codex': '--family-gpt-codex',
  GPT: '--family-gpt',
  'OpenAI o-series': '--family-openai-o',
  'Gemini Flash': '--family-gemini-flash',
  'Gemini Pro': '--family-gemini-pro',
  Gemini: '--family-gemini',
  Composer: '--family-composer',
  'Cursor other': '--family-cursor',
  Grok: '--family-grok',
  DeepSeek: '--family-deepseek',
  'Review bot': '--family-review',
};

export function familyColour(family: string): string {
  return Object.hasOwn(FAMILIES, family) ? (FAMILIES[family] ?? '--family-other') : '--family-other';
}

/** Number of colours for projects and categories. */
export const GROUP_COLOURS = 8;

const hashOf = (name: string): number => {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 16777619);
  return hash >>> 0;
};

/**
 * A colour for each name, by hash; if an alphabetically earlier name has it, the next free one, so that up to eight
 * names never share.
 */
export function groupColours(names: Iterable<string>): ReadonlyMap<string, string> {
  const colours = new Map<string, string>();
  let taken = new Set<number>();
  for (const name of [...new Set(names)].sort()) {
    if (taken.size === GROUP_COLOURS) taken = new Set();
    let slot = hashOf(name) % GROUP_COLOURS;
    while (taken.has(slot)) slot = (slot + 1) % GROUP_COLOURS;
    taken.add(slot);
    colours.set(name, `--chart-group-${slot + 1}`);
  }
  return colours;
}
