import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { type Matcher, printMatcher } from '../domain/matcher/matcher.ts';
import { parseMatcher, parseMatchers } from '../domain/matcher/parse.ts';
import type { WireMatcher } from './wire.ts';

/** The part of Go's quoting that both matcher parsers read alike. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function badArgument(arg: string, reason: string, example: string): CommandError {
  return new CommandError(`${arg}: ${reason}; write it like ${example}`, ExitCode.usage);
}

const MATCHER_EXAMPLE = 'severity=critical or \'job=~"node.*"\'';

/** The printed form of labels and silences, `{a="b", c=~"d"}`, is accepted as its matchers. */
function expandBraces(arg: string): string[] {
  if (!arg.startsWith('{') || !arg.endsWith('}')) return [arg];
  const parsed = parseMatchers(arg, 'fallback');
  if (!parsed.ok) throw badArgument(arg, parsed.reason, MATCHER_EXAMPLE);
  return parsed.value.map(printMatcher);
}

/**
 * The filters of a command line for the server, which validates them. A first argument without an operator is the name
 * of an alert. Throws for wrong usage.
 */
export function filtersOf(args: readonly string[]): string[] {
  return args.flatMap((arg, i) => {
    if (arg.trim() === '') throw new CommandError('an argument is empty: a variable without a value?', ExitCode.usage);
    return i === 0 && !/=|!~|^\{/.test(arg) ? [`alertname=${quote(arg)}`] : expandBraces(arg);
  });
}

/** The matchers of a command line, parsed; a first argument without an operator is an alert's name. Throws for wrong usage. */
export function parseMatcherArguments(args: readonly string[]): Matcher[] {
  return filtersOf(args).map((arg) => {
    const parsed = parseMatcher(arg, 'fallback');
    if (parsed.ok) return parsed.value;
    throw badArgument(arg, parsed.reason, MATCHER_EXAMPLE);
  });
}

/** An annotation's value is taken as it is: quotes and braces in a sentence would make it an invalid matcher. */
const PLAIN_PAIR = /^([^\s{}!=~,\\"'`]+)=(?![~"])(.*)$/s;

function parsePairs(args: readonly string[], what: string): Record<string, string> {
  const refusal = `${what} must be given as name=value`;
  const pairs: [string, string][] = args.map((arg) => {
    if (!arg.includes('=')) throw new CommandError(`${refusal}, found "${arg}"`, ExitCode.usage);
    const parsed = parseMatcher(arg, 'fallback');
    const [, plainName, plainValue] = PLAIN_PAIR.exec(arg) ?? [];
    if (!parsed.ok && plainName !== undefined && plainValue !== undefined) return [plainName, plainValue];
    if (!parsed.ok) throw badArgument(arg, parsed.reason, 'severity=critical');
    if (parsed.value.operator !== '=') throw new CommandError(`${refusal}, found ${arg}`, ExitCode.usage);
    return [parsed.value.name, parsed.value.value];
  });
  // Unlike an assignment, this creates a property named __proto__ as well.
  return Object.fromEntries(pairs);
}

/** The labels of a command line; a first argument without an operator is the alert's name. Throws for wrong usage. */
export function parseLabels(args: readonly string[]): Record<string, string> {
  return parsePairs(filtersOf(args), 'labels');
}

/** The annotations of repeated flags. Throws for wrong usage. */
export function parseAnnotations(args: readonly string[]): Record<string, string> {
  return parsePairs(args, 'annotations');
}

export function toWireMatcher({ name, operator, value }: Matcher): WireMatcher {
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

function operatorOf({ isRegex, isEqual }: WireMatcher): string {
  if (isEqual === false) return isRegex ? '!~' : '!=';
  return isRegex ? '=~' : '=';
}

/** A matcher of the API as text: `job=~"node.*"`. */
export function formatMatcher(matcher: WireMatcher): string {
  return `${formatName(matcher.name)}${operatorOf(matcher)}${quote(matcher.value)}`;
}

/** Labels or annotations as text, sorted by name: `alertname="DiskFull", severity="critical"`. */
export function formatLabels(labels: Readonly<Record<string, string>>, separator = ' '): string {
  const names = Object.keys(labels).sort();
  return names.map((name) => `${formatName(name)}=${quote(labels[name] ?? '')}`).join(separator);
}

function formatName(name: string): string {
  return name === '' || /[\s{}!=~,\\"'`]/.test(name) ? quote(name) : name;
}
