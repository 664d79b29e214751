import type { ModelFamily } from './view.ts';

/** The first matching test names the family; versions and suffixes do not count. */
const FAMILIES: readonly (readonly [
  family: ModelFamily,
  test: (name: string, tokens: readonly string[]) => boolean,
])[] = [
  ['Auto', (name, [first]) => name === '' || first === 'auto' || first === 'default'],
  ['Claude Opus', (name) => name.includes('opus')],
  ['Claude Sonnet', (name) => name.includes('sonnet')],
  ['Claude Haiku', (name) => name.includes('haiku')],
  ['Claude', (name) => name.includes('claude')],
  ['GPT Codex', (name) => name.includes('codex')],
  ['GPT', (name) => name.includes('gpt')],
  ['OpenAI o-series', (_, tokens) => tokens.some((token) => /^o\d+$/.test(token))],
  ['Gemini Flash', (name) => name.includes('gemini') && name.includes('flash')],
  ['Gemini Pro', (name, tokens) => name.includes('gemini') && tokens.includes('pro')],
  ['Gemini', (name) => name.includes('gemini')],
  ['Composer', (name) => name.includes('composer')],
  ['Cursor other', (name, tokens) => /cheetah|supernova/.test(name) || tokens[0] === 'small'],
  ['Grok', (name) => name.includes('grok')],
  ['DeepSeek', (name) => name.includes('deepseek')],
  ['Kimi', (name) => name.includes('kimi')],
  ['GLM', (_, tokens) => tokens.some((token) => /^glm\d*$/.test(token))],
  ['Qwen', (name) => name.includes('qwen')],
  ['Mistral', (name) => /mistral|devstral|codestral/.test(name)],
  ['Llama', (name) => name.includes('llama')],
  ['Review bot', (name) => /bugbot|agent_review/.test(name)],
];

/** The family of a model name, `Other` if unknown. Determines the colour. */
export function familyOf(model: string): ModelFamily {
  const name = model
    .trim()
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,4}\.)?(?:anthropic|openai|google|meta|amazon)\./, '')
    .replace(/^cursor-/, '');
  const tokens = name.split(/[-._ ]+/);
  return FAMILIES.find(([, test]) => test(name, tokens))?.[0] ?? 'Other';
}
