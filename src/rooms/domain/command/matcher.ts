import { compileAnchored } from '../../../kernel/regexp/regexp.ts';
import { type Outcome, refuse } from '../refusal.ts';

/** A matcher as in Alertmanager's API. */
export interface LabelMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

const MATCHER = /^\s*([^\s=!~"{},]+|"(?:[^"\\]|\\.)*")\s*(=~|!~|!=|=)\s*([\s\S]*)$/;

/** Reads `name=value`, `name!=value`, `name=~"re"` or `name!~re`; the value may be in double quotes. */
export function readMatcher(text: string): Outcome<LabelMatcher> {
  const found = MATCHER.exec(text);
  const name = unquote(found?.[1] ?? '');
  const value = unquote((found?.[3] ?? '').trim());
  if (!found || !name || value === undefined)
    return refuse(
      'invalid_body',
      `${JSON.stringify(text)} is no matcher; write name=value, name!=value, name=~"regex" or name!~"regex"`,
    );
  const operator = found[2] ?? '=';
  return { ok: true, value: { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') } };
}

/** In the syntax of Alertmanager's filters. */
export function printMatcher({ name, value, isRegex, isEqual }: LabelMatcher): string {
  const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!=';
  const label = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name) ? name : quote(name);
  return `${label}${operator}${quote(value)}`;
}

/** Values of very different kinds: a matcher of half of them matches nearly anything, as `alertname!=""` does. */
const PROBES = [
  'a',
  'Zq9',
  '0',
  'node-17.example.com:9100',
  '/var/lib',
  'UPPER_CASE',
  'two words',
  'ünï',
  '-',
  '{"x":1}',
];

/** Whether a matcher matches nearly all alerts: `=~".*"` and the like, `!=`, or the empty value of a missing label. */
export function matchesAnything({ value, isRegex, isEqual }: LabelMatcher): boolean {
  if (!isRegex) return !isEqual || value === '';
  const compiled = compileAnchored(value);
  // The alert server refuses it with a reason.
  if (!compiled.ok) return false;
  const taken = PROBES.filter((probe) => compiled.pattern.test(probe) === isEqual);
  return taken.length * 2 >= PROBES.length || (isEqual && compiled.pattern.test(''));
}

const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** `undefined`: a quote is not closed. */
function unquote(text: string): string | undefined {
  if (!text.startsWith('"')) return text.includes('"') ? undefined : text;
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return undefined;
  return text.slice(1, -1).replace(/\\(.)/gs, (whole, letter: string) => ESCAPES[letter] ?? whole);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };
