/** US dollars per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  /** What stays for an hour. */
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
}

/** What a model costs; a prompt of more than `long.above` tokens is charged at the long rates as a whole. */
export interface Price extends Rates {
  readonly long?: Rates & { readonly above: number };
}

/** The day on which the pages were read. */
export const PRICES_DATE = '2026-11-24';

/** Standard prices of the vendors' own APIs, without batches and without data residency. */
export const PRICES: Readonly<Record<string, Price>> = {
  // https://platform.claude.com/docs/en/about-claude/pricing
  'claude-fable-5-2': claude(8, 40, 0.2),
  'claude-fable-5-1': claude(10, 50, 0.25),
  'claude-fable-5': claude(10, 50, 1),
  'claude-mythos-5-1': claude(10, 50, 0.25),
  'claude-mythos-5': claude(10, 50, 1),
  // https://platform.claude.com/docs/en/models/opus-5-5/overview
  'claude-opus-5-5': claude(4, 20, 0.2),
  'claude-opus-5': claude(5, 25, 0.5),
  'claude-opus-4-8': claude(5, 25, 0.5),
  'claude-opus-4-7': claude(5, 25, 0.5),
  'claude-opus-4-6': claude(5, 25, 0.5),
  'claude-opus-4-5': claude(5, 25, 0.5),
  'claude-opus-4-1': claude(15, 75, 1.5),
  'claude-opus-4': claude(15, 75, 1.5),
  'claude-opus-3': claude(15, 75, 1.5),
  // https://platform.claude.com/docs/en/models/sonnet-5-5/overview; reads since 2026-10-07
  'claude-sonnet-5-5': claude(2, 10, 0.1),
  'claude-sonnet-5': claude(2, 10, 0.2),
  'claude-sonnet-4-6': claude(3, 15, 0.3),
  'claude-sonnet-4-5': claude(3, 15, 0.3),
  'claude-sonnet-4': claude(3, 15, 0.3),
  'claude-sonnet-3-7': claude(3, 15, 0.3),
  'claude-sonnet-3-5': claude(3, 15, 0.3),
  'claude-haiku-5-5': { ...claude(0.1, 0.5, 0.01), long: { above: 100_000, ...claude(0.5, 2.5, 0.05) } },
  'claude-haiku-4-5': claude(1, 5, 0.1),
  'claude-haiku-3-5': claude(0.8, 4, 0.08),
  // https://platform.claude.com/docs/en/build-with-claude/fast-mode: twice the price of the model
  'claude-fable-5-2-fast': claude(16, 80, 0.4),
  'claude-opus-5-5-fast': claude(8, 40, 0.4),
  'claude-opus-5-fast': claude(10, 50, 1),
  'claude-opus-4-8-fast': claude(10, 50, 1),

  // https://developers.openai.com/api/docs/pricing and the models' pages below /api/docs/models/
  'gpt-6.2-astra': longOpenAi(8, 40, 0.4),
  'gpt-6.2-sol': longOpenAi(2, 10, 0.1),
  'gpt-6.1-sol': longOpenAi(2, 10, 0.1),
  'gpt-6-astra': longOpenAi(10, 50, 1),
  'gpt-6-sol': longOpenAi(2, 10, 0.2),
  'gpt-6-luna': longOpenAi(0.1, 0.5, 0.01),
  'gpt-5.6': longOpenAi(4, 20, 0.4),
  'gpt-5.6-sol': longOpenAi(4, 20, 0.4),
  'gpt-5.6-terra': longOpenAi(2, 12, 0.2),
  'gpt-5.6-luna': longOpenAi(0.2, 1.2, 0.02),
  'gpt-5.5': longOpenAi(5, 30, 0.5),
  'gpt-5.4': longOpenAi(2.5, 15, 0.25),
  'gpt-5.4-mini': plain(0.75, 4.5, 0.075),
  'gpt-5.4-nano': plain(0.2, 1.25, 0.02),
  'gpt-5.3-codex': plain(1.75, 14, 0.175),
  'gpt-5.2': plain(1.75, 14, 0.175),
  'gpt-5.2-codex': plain(1.75, 14, 0.175),
  'gpt-5.1': plain(1.25, 10, 0.125),
  'gpt-5.1-codex': plain(1.25, 10, 0.125),
  'gpt-5.1-codex-max': plain(1.25, 10, 0.125),
  'gpt-5.1-codex-mini': plain(0.25, 2, 0.025),
  'gpt-5': plain(1.25, 10, 0.125),
  'gpt-5-codex': plain(1.25, 10, 0.125),
  'gpt-5-mini': plain(0.25, 2, 0.025),
  'gpt-5-nano': plain(0.05, 0.4, 0.005),
  'gpt-4.1': plain(2, 8, 0.5),
  'codex-mini': plain(1.5, 6, 0.375),
  o3: plain(2, 8, 0.5),
  'o4-mini': plain(1.1, 4.4, 0.275),

  // https://ai.google.dev/gemini-api/docs/pricing (text; storage of caches not included)
  // Until 2026-12-31.
  'gemini-3.8-flash': plain(0.75, 3.75, 0.075),
  'gemini-3.7-flash': plain(0.75, 3.75, 0.075),
  'gemini-3.6-flash': plain(0.75, 3.75, 0.075),
  'gemini-3.5-flash': plain(1.5, 9, 0.15),
  'gemini-3.5-flash-lite': plain(0.3, 2.5, 0.03),
  'gemini-3.1-pro': { ...plain(2, 12, 0.2), long: { above: 200_000, ...plain(4, 18, 0.4) } },
  'gemini-3.1-flash-lite': plain(0.25, 1.5, 0.025),
  'gemini-3-pro': { ...plain(2, 12, 0.2), long: { above: 200_000, ...plain(4, 18, 0.4) } },
  'gemini-3-flash': plain(0.5, 3, 0.05),
  'gemini-2.5-pro': { ...plain(1.25, 10, 0.125), long: { above: 200_000, ...plain(2.5, 15, 0.25) } },
  'gemini-2.5-flash': plain(0.3, 2.5, 0.03),
  'gemini-2.5-flash-lite': plain(0.1, 0.4, 0.01),
};

/** A write costs a quarter more than input, and twice as much as input if it stays for an hour. */
function claude(input: number, output: number, cacheRead: number): Rates {
  return { input, output, cacheWrite: input * 1.25, cacheWriteHour: input * 2, cacheRead };
}

/** Writes cost as much as input, or the logs do not name them. */
function plain(input: number, output: number, cacheRead: number): Rates {
  return { input, output, cacheWrite: input, cacheWriteHour: input, cacheRead };
}

/** Writes cost a quarter more; long prompts twice, and their answers half more. */
function longOpenAi(input: number, output: number, cacheRead: number): Price {
  const rates = claude(input, output, cacheRead);
  return { ...rates, long: { above: 272_000, ...claude(2 * input, 1.5 * output, 2 * cacheRead) } };
}
