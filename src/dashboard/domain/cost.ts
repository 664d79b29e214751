/** The meaning of a cost text and its kind. */
export interface Cost {
  /** Whole cents, negative for a credit. */
  readonly cents: number;
  readonly isIncluded: boolean;
  readonly display: string;
}

const NOT_CHARGED = /no charge|not charged|errored|aborted/i;

/**
 * Cents of a CSV's cost; the first matching rule wins: texts about uncharged calls, included calls, amounts. Unreadable
 * texts cost nothing.
 */
export function parseCostCents(costRaw: string, kindRaw: string): Cost {
  const text = costRaw.trim();
  const kind = kindRaw.trim();
  const amount = parseAmount(text);
  if (amount === undefined && (NOT_CHARGED.test(text) || NOT_CHARGED.test(kind))) {
    return { cents: 0, isIncluded: false, display: text || kind };
  }
  if (text === '' || /^included$/i.test(text) || isIncludedKind(kind)) {
    return { cents: 0, isIncluded: true, display: text || 'Included' };
  }
  return { cents: amount === undefined ? 0 : centsOfDecimal(amount), isIncluded: false, display: text };
}

function isIncludedKind(kind: string): boolean {
  return /^included(?: |$)/i.test(kind);
}

/** Whether a kind is billed by use: `On-Demand`, `Usage-based`, `USAGE_EVENT_KIND_USAGE_BASED` and similar. */
export function isBilledKind(kind: string): boolean {
  return /usage[ _-]?based|on[ _-]?demand/i.test(kind);
}

/**
 * The decimal text (`-1234.56`) of an amount of US dollars: currency signs, spaces and grouping removed, brackets read
 * as minus. Undefined for other texts.
 */
export function parseAmount(raw: string): string | undefined {
  let text = raw.replace(/[\s\u00a0\u202f]/g, '');
  let negative = false;
  const bracketed = /^\((.+)\)$/.exec(text);
  if (bracketed?.[1]) {
    negative = true;
    text = bracketed[1];
  }
  const signed = /^(-?)(?:US\$|USD|\$)?(-?)([\d.,]+)(?:US\$|USD|\$)?$/i.exec(text);
  if (!signed?.[3]) return undefined;
  if (signed[1] && signed[2]) return undefined;
  if (signed[1] || signed[2]) negative = !negative;
  const decimal = unifyDecimal(signed[3]);
  if (decimal === undefined) return undefined;
  return negative ? `-${decimal}` : decimal;
}

/** Digits with a point as the decimal sign; undefined if points and commas make no number. */
function unifyDecimal(digits: string): string | undefined {
  const point = digits.lastIndexOf('.');
  const comma = digits.lastIndexOf(',');
  let whole = digits;
  let fraction = '';
  if (point >= 0 && comma >= 0) {
    const at = Math.max(point, comma);
    whole = digits.slice(0, at).replaceAll(point > comma ? ',' : '.', '');
    fraction = digits.slice(at + 1);
  } else if (comma >= 0 && isGrouped(digits)) {
    whole = digits.replaceAll(',', '');
  } else if (point >= 0 || comma >= 0) {
    const at = Math.max(point, comma);
    whole = digits.slice(0, at);
    fraction = digits.slice(at + 1);
  }
  if (!/^\d*$/.test(whole) || !/^\d*$/.test(fraction) || whole + fraction === '') return undefined;
  return `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction && `.${fraction}`}`;
}

/** `1,234` and `1,234,567` are grouped; `0,041` and `12,5` are not. */
function isGrouped(digits: string): boolean {
  const [first = '', ...groups] = digits.split(',');
  return /^[1-9]\d{0,2}$/.test(first) && groups.length > 0 && groups.every((group) => /^\d{3}$/.test(group));
}

/**
 * Whole cents of a decimal text of dollars, half a cent rounded away from zero: `0.285` is 29, which binary fractions
 * would miss.
 */
export function centsOfDecimal(decimal: string): number {
  const negative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const cents = Number(whole + fraction.slice(0, 2).padEnd(2, '0')) + ((fraction[2] ?? '0') >= '5' ? 1 : 0);
  return negative && cents > 0 ? -cents : cents;
}

/** Cents of a decimal text of dollars, fractions kept. */
export function exactCentsOfDecimal(decimal: string): number {
  const negative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.');
  const cents = Number(`${whole}${fraction.slice(0, 2).padEnd(2, '0')}.${fraction.slice(2) || '0'}`);
  return negative && cents > 0 ? -cents : cents;
}

/** Cents of a cost text, fractions kept; 0 for other texts. */
export function exactCents(raw: string): number {
  const amount = parseAmount(raw);
  return amount === undefined ? 0 : exactCentsOfDecimal(amount);
}

/** Cents of a typed minimum in US dollars; undefined (no filter) if it is empty, negative or not an amount. */
export function readMinimumCost(text: string): number | undefined {
  const amount = parseAmount(text);
  return amount === undefined || amount.startsWith('-') ? undefined : centsOfDecimal(amount);
}

/** Cents as `$0.0042`, for estimates. */
export function printExactDollars(cents: number): string {
  return `$${(cents / 100).toFixed(4)}`;
}

/** Cents as `$1234.50`, for events without a text of their own. */
export function printDollars(cents: number): string {
  return `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;
}
