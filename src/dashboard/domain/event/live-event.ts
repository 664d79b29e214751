import { exactCents, isBilledKind, parseCostCents, printDollars } from '../cost.ts';
import { DAY_MS } from '../zone.ts';
import {
  type EventColumns,
  type EventNames,
  IS_API,
  IS_BILLED,
  IS_CHARGEABLE,
  IS_INCLUDED,
  IS_LOGGED,
  IS_MAX_MODE,
} from './columns.ts';

/** The cost text of a model without a price. */
const NO_PRICE = '–';
const OLDEST_PLAUSIBLE = Date.UTC(2020, 0, 1);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Adds the events of an upstream answer to the columns. All fields but the timestamp may be absent, numbers may be
 * texts. `isEstimated` marks one of an assistant's log. Returns the number of invalid ones.
 */
export function appendLiveEvents(
  target: { readonly columns: EventColumns; readonly names: EventNames; readonly user: number },
  events: readonly unknown[],
  now: number,
): number {
  const { columns, names, user } = target;
  const needed = columns.length + events.length;
  // Room for more parts, unless this is the only one.
  if (needed > columns.flags.length) columns.reserve(Math.max(needed, columns.length * 2));
  let skipped = 0;
  for (const event of events) {
    const fields = fieldsOf(event);
    const at = fields ? timestampOf(fields.timestamp) : Number.NaN;
    if (!fields || !(at >= OLDEST_PLAUSIBLE && at <= now + DAY_MS)) {
      skipped++;
      continue;
    }
    const row = columns.length++;
    columns.at[row] = at;
    columns.user[row] = user;
    writeTokens(columns, row, fieldsOf(fields.tokenUsage) ?? {});
    const model = textOf(fields.model).trim();
    columns.model[row] = names.models.internText(/^default$/i.test(model) ? 'auto' : model || 'unknown');
    const kind = textOf(fields.kind).trim();
    columns.kind[row] = names.kinds.internText(plainKind(kind));
    columns.project[row] = names.projectOf(textOf(fields.project));
    if (fields.isEstimated === true) {
      writeEstimate(columns, names, row, finiteOf(fields.chargedCents));
      continue;
    }
    const cost = costOf(fields);
    const isChargeable = fields.isChargeable === true || cost.cents > 0;
    const isIncluded = (cost.cents === 0 && /included/i.test(kind)) || !isChargeable;
    columns.cost[row] = cost.cents;
    columns.list[row] = cost.list;
    columns.costText[row] = names.costTexts.internText(cost.display);
    columns.flags[row] =
      IS_API |
      (fields.maxMode === true ? IS_MAX_MODE : 0) |
      (isIncluded ? IS_INCLUDED : 0) |
      (isChargeable ? IS_CHARGEABLE : 0) |
      (isBilledKind(kind) ? IS_BILLED : 0);
  }
  return skipped;
}

/** Most requests cost fractions of a cent, which count. Without a price there is no cost, which does not mean included. */
function writeEstimate(columns: EventColumns, names: EventNames, row: number, cents: number | undefined): void {
  columns.cost[row] = cents ?? 0;
  columns.list[row] = cents ?? 0;
  columns.costText[row] = names.costTexts.internText(cents === undefined ? NO_PRICE : '');
  columns.flags[row] = IS_API | IS_LOGGED | (cents === undefined ? 0 : IS_CHARGEABLE);
}

/** `USAGE_EVENT_KIND_INCLUDED_IN_PRO` as `INCLUDED IN PRO`; texts of older answers stay as they are. */
export function plainKind(kind: string): string {
  const plain = kind.startsWith('USAGE_EVENT_KIND_')
    ? kind.slice('USAGE_EVENT_KIND_'.length).replaceAll('_', ' ')
    : kind;
  return plain || 'unknown';
}

/** The first present of the three cost fields; the list value keeps its fractions. */
export function costOf(fields: Fields): { readonly cents: number; readonly list: number; readonly display: string } {
  const usage = fieldsOf(fields.tokenUsage);
  const usageBased = fields.usageBasedCosts;
  const usageText =
    typeof usageBased === 'number' && Number.isFinite(usageBased) ? `${usageBased}` : textOf(usageBased);
  const direct = finiteOf(fields.chargedCents) ?? finiteOf(usage?.totalCents);
  // Half a cent is rounded up, and minus zero is zero.
  const cents = direct === undefined ? amountOf(usageText) : Math.round(direct) + 0;
  const list = direct ?? exactCents(usageText);
  const display = typeof usageBased === 'string' && usageBased.trim() !== '' ? usageBased : printDollars(cents);
  return { cents, list, display };
}

function amountOf(text: string): number {
  return parseCostCents(text, '').cents;
}

function writeTokens(columns: EventColumns, row: number, usage: Fields): void {
  const count = (name: string) => Math.max(0, Math.round(finiteOf(usage[name]) ?? 0));
  const input = count('inputTokens');
  const cacheWrite = count('cacheWriteTokens');
  const cacheRead = count('cacheReadTokens');
  const output = count('outputTokens');
  columns.input[row] = input;
  columns.cacheWrite[row] = cacheWrite;
  columns.cacheRead[row] = cacheRead;
  columns.output[row] = output;
  columns.total[row] = input + cacheWrite + cacheRead + output;
}

function timestampOf(value: unknown): number {
  return Math.trunc(finiteOf(value) ?? Number.NaN);
}

function finiteOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
