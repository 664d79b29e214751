import { ConfigFault, ConfigNode } from '../../config/config-node.ts';
import type { Kind } from '../../config/kind.ts';
import type { TextChange, TextPlace } from '../../config/text-change.ts';
import { compareUtf8 } from '../../domain/label-set.ts';
import { literalTemplate } from '../template/note.ts';

/** Any value of YAML or JSON. Mappings are unordered and written sorted. */
export type PlainValue = string | number | bigint | boolean | null | readonly PlainValue[] | PlainMapping;
export interface PlainMapping {
  readonly [name: string]: PlainValue;
}

/** A value of any type; unquoted scalars are read as in YAML 1.1, like in Alertmanager. */
export const plainValue: Kind<PlainValue> = { read: readPlain, print: (value) => value, mapTexts: mapPlainTexts };

function readPlain(node: ConfigNode): PlainValue {
  switch (node.shape) {
    case 'nothing':
      return null;
    case 'list':
      return node.items().map(readPlain);
    case 'mapping':
      // JSON names are texts; Alertmanager drops others.
      return sortedMapping(
        node
          .entries()
          .filter(([name]) => typeof readScalar(name) === 'string')
          .map(([name, value]) => [name.text(), readPlain(value)]),
      );
    default:
      return readScalar(node);
  }
}

function sortedMapping(entries: readonly (readonly [string, PlainValue])[]): PlainMapping {
  return Object.fromEntries([...entries].sort(([a], [b]) => compareUtf8(a, b)));
}

/** A name that cannot be rendered stands as it is written. */
function mapPlainTexts(value: PlainValue, change: TextChange, { path, standard }: TextPlace): PlainValue {
  const inside = (item: PlainValue, step: string) =>
    mapPlainTexts(item, change, { path: `${path}${step}`, standard: undefined });
  if (typeof value === 'string') return change(value, { path, standard, isProse: true }) ?? '';
  if (Array.isArray(value)) return value.map((item, index) => inside(item, `[${index}]`));
  if (value === null || typeof value !== 'object') return value;
  const named = (name: string, index: number) => {
    if (!name.includes('{{')) return name;
    // By its place, since it may be changed again.
    const at = { path: `${path} (name ${index + 1})`, standard: undefined, isProse: false };
    return change(name, at) ?? literalTemplate(name);
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, item], index) => [named(name, index), inside(item, `.${name}`)]),
  );
}

const TRUE = /^(y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^([+-]?)(0[bB][01]+|0[xX][\da-fA-F]+|0[oO]?[0-7]+|\d+)$/;
const MAX_INTEGER = 1100;
const FLOAT = /^[+-]?(\.\d+|\d+(\.\d*)?)([eE][+-]?\d+)?$/;

function readScalar(node: ConfigNode): PlainValue {
  if (node.isNothing) return null;
  const word = node.text();
  if (!node.isPlain) return word;
  if (TRUE.test(word)) return true;
  if (FALSE.test(word)) return false;
  if (!/^[\d.+-]/.test(word)) return word;
  const digits = word.replaceAll('_', '');
  const [, sign, size] = INTEGER.exec(digits) ?? [];
  if (size !== undefined) return readInteger(sign as string, size) ?? word;
  return FLOAT.test(digits) && Number.isFinite(Number(digits)) ? Number(digits) : word;
}

/** Integers of up to 64 bits stay exact: ids have up to twenty digits. Undefined: out of range. */
function readInteger(sign: string, size: string): number | bigint | undefined {
  // Longer than any finite number, also in binary; reading them takes time.
  if (size.length > MAX_INTEGER) return undefined;
  const amount = BigInt(/^0[0-7]+$/.test(size) ? `0o${size.slice(1)}` : size);
  const value = sign === '-' ? -amount : amount;
  if (!Number.isFinite(Number(value))) return undefined;
  const exact = Number.isSafeInteger(Number(value)) || value < -(2n ** 63n) || value >= 2n ** 64n;
  return exact ? Number(value) : value;
}

/**
 * Renders every text and name in a value. A rendered text that is YAML of another type, such as a number or a list,
 * becomes that value. Source: Alertmanager template.DeepCopyWithTemplate.
 */
export function renderPlain(value: PlainValue, render: (template: string) => string): PlainValue {
  if (typeof value === 'string') return retype(render(value));
  if (Array.isArray(value)) return value.map((item) => renderPlain(item, render));
  if (value === null || typeof value !== 'object') return value;
  return sortedMapping(Object.entries(value).map(([name, item]) => [render(name), renderPlain(item, render)]));
}

/** YAML indicators without a value after them, which Go's parser refuses. */
const NO_YAML = /^(&|\.\.\.|:\s|\s*\t\s*$|!(?!!(int|float|bool)\b))/;

/** In characters. YAML takes microseconds for each; longer texts are plain texts or JSON. */
const MAX_YAML = 65_536;

function retype(text: string): PlainValue {
  if (NO_YAML.test(text)) return text;
  // JSON, such as lists of alerts, is parsed far faster as JSON; only long numbers would lose digits.
  if (/^[[{]/.test(text) && !/[[,:\s-]\d{16}/.test(text)) {
    try {
      return sortPlain(JSON.parse(text) as PlainValue);
    } catch {
      // It may still be YAML.
    }
  }
  if (text.length > MAX_YAML) return text;
  try {
    const node = ConfigNode.parse(text);
    const value = node.idleLine === undefined ? readPlain(node) : text;
    return typeof value === 'string' ? text : value;
  } catch (error) {
    if (error instanceof ConfigFault) return text;
    throw error;
  }
}

function sortPlain(value: PlainValue): PlainValue {
  if (Array.isArray(value)) return value.map(sortPlain);
  if (value === null || typeof value !== 'object') return value;
  return sortedMapping(Object.entries(value).map(([name, item]) => [name, sortPlain(item)]));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON like Go's: HTML characters are escaped, and a line feed follows. */
export function encodeJson(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** The same for values that may hold long numbers. */
export function encodePlain(value: unknown): string {
  return `${escapeJson(writeJson(value))}\n`;
}

function escapeJson(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] as string);
}

function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${writeJson(item)}`);
  return `{${fields.join(',')}}`;
}

/** Without empty fields, like Go's omitempty: '', 0, false, an empty list or mapping. */
export function withoutEmpty<T extends Readonly<Record<string, unknown>>>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<T>;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
