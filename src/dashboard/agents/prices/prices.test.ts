import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { costCents, Prices, readPrices } from './prices.ts';
import { PRICES, type Price } from './table.ts';

function fileOf(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'prices.json');
  writeFileSync(path, text);
  return path;
}

const SAME_MODEL: readonly [string, readonly string[]][] = [
  [
    'claude-opus-4-5',
    [
      'claude-opus-4-5-20251101',
      'anthropic/claude-opus-4.5',
      'us.anthropic.claude-opus-4-5-20251101-v1:0',
      'claude-opus-4-5@20251101',
      'claude-opus-4-5[1m]',
    ],
  ],
  ['claude-opus-4', ['claude-opus-4-20250514', 'claude-opus-4-0', 'claude-4-opus']],
  ['claude-haiku-3-5', ['claude-3-5-haiku-20241022', 'claude-3-5-haiku-latest', 'claude-3.5-haiku']],
  ['claude-opus-5-5-fast', ['claude-opus-5-5-20260922-fast']],
  ['gpt-5', ['openai/gpt-5-2025-08-07', 'GPT-5']],
  ['gemini-2.5-pro', ['models/gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro-exp']],
  ['gemini-2.5-flash', ['gemini-2.5-flash-preview-09-2025']],
];

for (const [model, names] of SAME_MODEL) {
  test(`${model} is priced under the names that clouds and dates give it`, () => {
    for (const name of names) assert.deepEqual(new Prices().priceOf(name), PRICES[model], name);
  });
}

test('a model that only begins like a known one has no price', () => {
  for (const name of [
    'gpt-5.3-codex-spark',
    'claude-opus-9',
    'claude-sonnet-5-fast',
    'unknown',
    '',
    'constructor',
    '__proto__',
  ]) {
    assert.equal(new Prices().priceOf(name), undefined, name);
  }
});

const NO_TOKENS = { input: 0, output: 0, cacheWrite: 0, cacheWriteHour: 0, cacheRead: 0 };

test('cents are those of all counts', () => {
  const price = { input: 5, output: 25, cacheWrite: 6.25, cacheWriteHour: 10, cacheRead: 0.5 };
  assert.equal(costCents({ ...NO_TOKENS, input: 1e6, output: 1e6, cacheWrite: 1e6, cacheRead: 1e6 }, price), 3_675);
  assert.equal(costCents({ ...NO_TOKENS, input: 1 }, price), 0.0005);
});

test('cache writes that stay for an hour have a price of their own', () => {
  const cost = (cacheWriteHour: number) =>
    costCents({ ...NO_TOKENS, cacheWrite: 1e6, cacheWriteHour }, PRICES['claude-opus-4-5'] as Price);
  assert.deepEqual([0, 4e5, 1e6].map(cost), [625, 775, 1_000]);
});

test('a prompt above the limit is charged at the long rates as a whole, cached tokens included', () => {
  const price = {
    input: 1,
    output: 1,
    cacheWrite: 1,
    cacheWriteHour: 1,
    cacheRead: 1,
    long: { above: 100, input: 2, output: 3, cacheWrite: 2, cacheWriteHour: 2, cacheRead: 2 },
  };
  const cost = (cacheRead: number) => costCents({ ...NO_TOKENS, input: 50, output: 10, cacheRead }, price) * 10_000;
  assert.equal(Math.round(cost(50)), 110);
  assert.equal(Math.round(cost(51)), 232);
});

test("a file's prices stand before the built-in ones, and bring their date", (t) => {
  const prices = readPrices(
    fileOf(
      t,
      '{"date": "2027-01-02", "models": {"claude-opus-5": {"input": 1, "output": 2}, "local/llama": {"input": 0, "output": 0}}}',
    ),
  );
  assert.equal(prices.date, '2027-01-02');
  const others = { cacheWrite: 1, cacheWriteHour: 1, cacheRead: 1 };
  assert.deepEqual(prices.priceOf('claude-opus-5-20260724'), { input: 1, output: 2, ...others });
  assert.equal(prices.priceOf('local/llama')?.input, 0);
  assert.deepEqual(prices.priceOf('gpt-5'), PRICES['gpt-5']);
});

test('a file without a date leaves the prices undated', (t) => {
  assert.equal(readPrices(fileOf(t, '{"models": {}}')).date, null);
  assert.match(String(readPrices().date), /^\d{4}-\d\d-\d\d$/);
});

for (const [what, text, problem] of [
  ['no JSON', 'SECRET {', /no JSON/],
  ['a negative price', '{"models": {"a": {"input": -1, "output": 1}}}', /models\.a\.input: /],
  ['a text for a price', '{"models": {"a": {"input": "1", "output": 1}}}', /models\.a\.input: /],
  ['an unknown field', '{"models": {"a": {"input": 1, "output": 1, "price": 2}}}', /models\.a\.price: /],
  ['no models', '{}', /models: /],
  ['a list of models', '{"models": []}', /models: /],
] as const) {
  test(`a file with ${what} is refused with its place and the right form`, (t) => {
    const path = fileOf(t, text);
    assert.throws(
      () => readPrices(path),
      (error: Error) =>
        problem.test(error.message) &&
        error.message.includes(path) &&
        error.message.includes('"input": 5') &&
        !error.message.includes('SECRET'),
    );
  });
}

test('a missing file is refused', () => {
  assert.throws(() => readPrices('/nowhere/prices.json'), /\/nowhere\/prices\.json/);
});
