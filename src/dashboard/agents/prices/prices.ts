import * as v from 'valibot';
import { CommandError, ExitCode, messageOf } from '../../../kernel/errors.ts';
import { readRegularFileSync } from '../../../kernel/storage/regular-file.ts';
import type { AgentEvent } from '../event.ts';
import { PRICES, PRICES_DATE, type Price, type Rates } from './table.ts';

const MAX_PRICES_BYTES = 2 ** 20;

const rate = v.pipe(v.number(), v.minValue(0), v.maxValue(1_000_000));
const rates = {
  input: rate,
  output: rate,
  cacheWrite: v.optional(rate),
  cacheWriteHour: v.optional(rate),
  cacheRead: v.optional(rate),
};
const pricesFile = v.strictObject({
  date: v.optional(v.pipe(v.string(), v.isoDate())),
  models: v.pipe(
    v.unknown(),
    // A list would be a record without fields.
    v.check((models) => !Array.isArray(models), 'a list; write an object'),
    v.record(
      v.pipe(v.string(), v.nonEmpty()),
      v.strictObject({
        ...rates,
        long: v.optional(v.strictObject({ above: v.pipe(v.number(), v.integer(), v.minValue(1)), ...rates })),
      }),
    ),
  ),
});
type PricesFile = v.InferOutput<typeof pricesFile>;
type FilePrice = PricesFile['models'][string];

/** Prices by model. */
export class Prices {
  /** The day of the prices, as `2026-11-24`; null: a file does not name it. */
  readonly date: string | null;
  readonly #own: ReadonlyMap<string, Price>;

  constructor(own: ReadonlyMap<string, Price> = new Map(), date: string | null = PRICES_DATE) {
    this.#own = own;
    this.date = date;
  }

  /** Undefined for an unknown model. Vendors, dates and versions around a model's name do not matter. */
  priceOf(model: string): Price | undefined {
    const names = namesOf(model);
    for (const prices of [(name: string) => this.#own.get(name), builtIn]) {
      for (const name of names) {
        const price = prices(name);
        if (price) return price;
      }
    }
    return undefined;
  }
}

/** The built-in prices, with those of a file in their place. Throws a CommandError that names file, place and form. */
export function readPrices(file?: string): Prices {
  if (file === undefined) return new Prices();
  const parsed = v.safeParse(pricesFile, readJson(file), { abortEarly: true });
  if (!parsed.success) {
    const path = v.getDotPath(parsed.issues[0]);
    throw refused(file, `${path ? `${path}: ` : ''}${parsed.issues[0].message}`);
  }
  const { date, models } = parsed.output;
  const own = new Map(
    Object.entries(models).map(([model, price]) => [namesOf(model).at(0) ?? model, priceOfFile(price)]),
  );
  return new Prices(own, date ?? null);
}

/** Cents (with fractions) of an answer at a price. */
export function costCents(
  event: Pick<AgentEvent, 'input' | 'output' | 'cacheWrite' | 'cacheWriteHour' | 'cacheRead'>,
  price: Price,
): number {
  const prompt = event.input + event.cacheWrite + event.cacheRead;
  const charged = price.long && prompt > price.long.above ? price.long : price;
  const dollars =
    event.input * charged.input +
    event.output * charged.output +
    (event.cacheWrite - event.cacheWriteHour) * charged.cacheWrite +
    event.cacheWriteHour * charged.cacheWriteHour +
    event.cacheRead * charged.cacheRead;
  // Dollars per million tokens, in cents.
  return dollars / 10_000;
}

function builtIn(name: string): Price | undefined {
  return Object.hasOwn(PRICES, name) ? PRICES[name] : undefined;
}

/** The name as it stands, in lower case, then without what surrounds the model's own name. */
function namesOf(model: string): readonly string[] {
  const whole = model.trim().toLowerCase();
  const short = whole
    // openrouter/anthropic/…, models/…, us.anthropic.…
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]+\.)*anthropic\./, '')
    // [1m], @20250929, :0, -v1
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[@:].*$/, '')
    .replace(/-v\d+$/, '')
    // -20250929, -2025-09-29, -preview-09-2025, -05-06; also before -fast
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|preview-\d\d-(?:20)?\d\d)(?=-|$)/, '')
    .replace(/-(?:latest|preview|exp)(?=-|$)/, '');
  return [...new Set([whole, short, claudeName(short)])];
}

/** Anthropic put the version first until 4 (`claude-3-5-haiku`), and names Opus 4 with a 0 too. */
function claudeName(name: string): string {
  return name
    .replace(/^claude-(\d(?:[-.]\d)?)-(opus|sonnet|haiku)/, 'claude-$2-$1')
    .replace(/^(claude-\w+)-(\d)[-.](\d)(?=-|$)/, (_, family, major, minor) =>
      minor === '0' ? `${family}-${major}` : `${family}-${major}-${minor}`,
    );
}

function priceOfFile(price: FilePrice): Price {
  return {
    ...ratesOfFile(price),
    ...(price.long ? { long: { above: price.long.above, ...ratesOfFile(price.long) } } : {}),
  };
}

function ratesOfFile(price: Omit<FilePrice, 'long'>): Rates {
  const { input, output, cacheWrite = input, cacheWriteHour = cacheWrite, cacheRead = input } = price;
  return { input, output, cacheWrite, cacheWriteHour, cacheRead };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readRegularFileSync(file, MAX_PRICES_BYTES));
  } catch (error) {
    // A syntax error quotes the file.
    throw refused(file, error instanceof SyntaxError ? 'no JSON' : messageOf(error));
  }
}

function refused(file: string, problem: string): CommandError {
  const form = '{"models": {"claude-opus-5": {"input": 5, "output": 25, "cacheWrite": 6.25, "cacheRead": 0.5}}}';
  return new CommandError(
    `cannot use the prices in ${file}: ${problem}; write US dollars per million tokens as in ${form}`,
    ExitCode.usage,
  );
}
