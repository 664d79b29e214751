import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { StatusField } from './field.ts';

export type ExpectationResult =
  | { readonly expr: string; readonly expected: string; readonly actual: string | null; readonly ok: boolean }
  | { readonly expr: string; readonly problem: string; readonly ok: false };

export interface ExpectationReport {
  /** The worst of all results: 400 unreadable, 422 unsupported, 412 not met, 200 met. */
  readonly status: 400 | 422 | 412 | 200;
  readonly satisfied: boolean;
  readonly results: readonly ExpectationResult[];
}

/** The values of `expect` in a raw query; refuses an undecodable query, as a skipped expectation would count as met. */
export function readExpectations(query: string): Outcome<readonly string[]> {
  const expressions: string[] = [];
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name, ...value] = pair.split('=').map((text) => decode(text));
    if (pair.includes(';') || name === undefined || value.includes(undefined))
      return refused('the query cannot be decoded');
    if (name === 'expect') expressions.push(value.join('='));
  }
  return accepted(expressions);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Checks expressions `<path><operator><value>` against a document; `fields` lists its possible fields. */
export function checkExpectations(
  expressions: readonly string[],
  document: object,
  fields: StatusField,
): ExpectationReport {
  const checked = expressions.map((expr) => check(expr, document, fields));
  const status = ([400, 422, 412] as const).find((status) => checked.some((one) => one.status === status)) ?? 200;
  return { status, satisfied: status === 200, results: checked.map(({ result }) => result) };
}

interface CheckedExpectation {
  readonly status: ExpectationReport['status'];
  readonly result: ExpectationResult;
}

function check(expr: string, document: object, fields: StatusField): CheckedExpectation {
  const failure = (status: 400 | 422, problem: string): CheckedExpectation => ({
    status,
    result: { expr, problem, ok: false },
  });
  const read = readExpression(expr);
  if (!read.ok) return failure(400, read.reason);
  const { path, operator, expected } = read.value;
  if (operator !== '=' && operator !== '!=')
    return failure(422, `operator ${JSON.stringify(operator)} is not supported; use "=" or "!="`);
  const found = follow(path, document, fields);
  if (!found.ok) return failure(422, found.reason);
  const actual = found.value;
  const ok = (actual === expected) === (operator === '=');
  return { status: ok ? 200 : 412, result: { expr, expected, actual, ok } };
}

interface Expression {
  readonly path: readonly string[];
  readonly operator: string;
  readonly expected: string;
}

/** A name with a dot or bracket must be in brackets and quotes: `environments["my.env"].status`. */
const STEP = /^(?:\.?([^.[\]=!<>~"]+)|\["((?:[^"\\]|\\.)*)"\]|\[([^\]"]*)\])/;
const OPERATOR = /^[=!<>~]+/;
const INDEX = /^\[\d+\]$/;

function readExpression(expr: string): Outcome<Expression> {
  const path: string[] = [];
  let rest = expr;
  for (let step = STEP.exec(rest); step; step = STEP.exec(rest)) {
    const [text, name, quoted, index] = step;
    if (index === '' || (path.length === 0 && text.startsWith('.'))) return refused('the path cannot be read');
    path.push(name ?? (quoted === undefined ? `[${index}]` : quoted.replace(/\\(.)/g, '$1')));
    rest = rest.slice(text.length);
  }
  const [operator] = OPERATOR.exec(rest) ?? [];
  if (path.length === 0) return refused('there is no path before the operator');
  if (operator === undefined) return refused(rest === '' ? 'there is no operator' : 'the path cannot be read');
  return accepted({ path, operator, expected: rest.slice(operator.length) });
}

/** The value at a path as text; null for an absent field. */
function follow(path: readonly string[], document: object, fields: StatusField): Outcome<string | null> {
  let field = fields;
  let value: unknown = document;
  for (const name of path) {
    const below = fieldBelow(field, name);
    if (!below.ok) return below;
    field = below.value;
    value = propertyOf(value, name);
  }
  if (field !== 'value') return refused(`${JSON.stringify(path.at(-1))} is an object; name one of its fields`);
  return accepted(value === undefined || value === null ? null : String(value));
}

function fieldBelow(field: StatusField, name: string): Outcome<StatusField> {
  if (field === 'value') return refused(`a value has no fields, such as ${JSON.stringify(name)}`);
  const isIndex = name.startsWith('[') && name.endsWith(']');
  if ('items' in field)
    return INDEX.test(name) ? accepted(field.items) : refused(`a list expects an index, not ${JSON.stringify(name)}`);
  if (isIndex) return refused(`${name} expects an array, but this is an object`);
  if ('anyName' in field) return accepted(field.anyName);
  const below = Object.hasOwn(field.fields, name) ? field.fields[name] : undefined;
  return below ? accepted(below) : refused(`unknown field ${JSON.stringify(name)}`);
}

function propertyOf(value: unknown, name: string): unknown {
  const property = Array.isArray(value) ? name.slice(1, -1) : name;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, property)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[property];
}
