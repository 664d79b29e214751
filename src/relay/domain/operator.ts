import { compileUnanchored } from '../../kernel/regexp/regexp.ts';
import type { Json } from './json.ts';
import { compareVersions, parseVersion } from './semver.ts';
import { compareTimestamps, parseTimestamp, type Timestamp } from './timestamp.ts';

/** Whether a value of a context matches any value of the clause. */
export type ValueTest = (value: Json) => boolean;

const never: ValueTest = () => false;

const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: Json): value is number => typeof value === 'number';

function inValues(values: readonly Json[]): ValueTest {
  const known: ReadonlySet<Json> = new Set(
    values.filter((value) => isText(value) || isNumber(value) || typeof value === 'boolean'),
  );
  return (value) => known.has(value);
}

function textTest(test: (text: string, part: string) => boolean): (values: readonly Json[]) => ValueTest {
  return (values) => {
    const parts = values.filter(isText);
    return (value) => isText(value) && parts.some((part) => test(value, part));
  };
}

/** An invalid pattern matches nothing; other patterns of the clause still apply. */
function matchesPatterns(values: readonly Json[]): ValueTest {
  const patterns = values.filter(isText).flatMap((source) => {
    const compiled = compileUnanchored(source);
    return compiled.ok ? [compiled.pattern] : [];
  });
  return (value) => isText(value) && patterns.some((pattern) => pattern.test(value));
}

/** A value less than any number is less than the largest one, so one bound is enough. */
function numberTest(
  extreme: (...numbers: readonly number[]) => number,
  test: (value: number, bound: number) => boolean,
): (values: readonly Json[]) => ValueTest {
  return (values) => {
    const numbers = values.filter(isNumber);
    if (numbers.length === 0) return never;
    const bound = numbers.reduce((a, b) => extreme(a, b));
    return (value) => isNumber(value) && test(value, bound);
  };
}

/** Go's zero time, 1 January of year 1, counts as unset. */
const isSet = ({ ms, nanos }: Timestamp): boolean => ms !== -62_135_596_800_000 || nanos !== 0;

function timeTest(test: (compared: number) => boolean): (values: readonly Json[]) => ValueTest {
  return (values) => {
    const moments = values.map(parseTimestamp).filter((moment) => moment !== undefined && isSet(moment));
    return (value) => {
      const moment = moments.length === 0 ? undefined : parseTimestamp(value);
      return moment !== undefined && moments.some((other) => other && test(compareTimestamps(moment, other)));
    };
  };
}

function versionTest(test: (compared: number) => boolean): (values: readonly Json[]) => ValueTest {
  return (values) => {
    const versions = values.filter(isText).flatMap((text) => parseVersion(text) ?? []);
    return (value) => {
      const version = isText(value) ? parseVersion(value) : undefined;
      return version !== undefined && versions.some((other) => test(compareVersions(version, other)));
    };
  };
}

const OPERATORS: ReadonlyMap<string, (values: readonly Json[]) => ValueTest> = new Map([
  ['in', inValues],
  ['startsWith', textTest((text, part) => text.startsWith(part))],
  ['endsWith', textTest((text, part) => text.endsWith(part))],
  ['contains', textTest((text, part) => text.includes(part))],
  ['matches', matchesPatterns],
  ['lessThan', numberTest(Math.max, (value, bound) => value < bound)],
  ['lessThanOrEqual', numberTest(Math.max, (value, bound) => value <= bound)],
  ['greaterThan', numberTest(Math.min, (value, bound) => value > bound)],
  ['greaterThanOrEqual', numberTest(Math.min, (value, bound) => value >= bound)],
  ['before', timeTest((compared) => compared < 0)],
  ['after', timeTest((compared) => compared > 0)],
  ['semVerEqual', versionTest((compared) => compared === 0)],
  ['semVerLessThan', versionTest((compared) => compared < 0)],
  ['semVerGreaterThan', versionTest((compared) => compared > 0)],
]);

/** Prepares an operator for the values of its clause; an unknown operator matches nothing. */
export function compileOperator(operator: string, values: readonly Json[]): ValueTest {
  return OPERATORS.get(operator)?.(values) ?? never;
}
