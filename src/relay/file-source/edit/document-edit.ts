import { isDeepStrictEqual } from 'node:util';
import { type Document, isCollection, isMap, isNode, isScalar, parseDocument, type YAMLMap } from 'yaml';
import type { Json } from '../../domain/json.ts';
import { isJsonFile } from '../document.ts';

/** Sets a value at a path of a document. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: Json;
}

/**
 * Sets a value in the text of a well-formed JSON or YAML file and keeps everything else: comments, order, whitespace. If that
 * is not possible, the file is reformatted, with its comments.
 */
export function editDocument(name: string, text: string, edit: Edit): string {
  const isJson = isJsonFile(name, text);
  const document = parseDocument(text);
  const expected = withValue(document.toJS() as Json, edit);
  const spliced = splice(text, document, edit, isJson);
  if (spliced !== undefined && isDeepStrictEqual(read(spliced), expected)) return spliced;
  if (isJson) return `${JSON.stringify(expected, null, indentOf(text))}${/\n$/.test(text) ? '\n' : ''}`;
  document.setIn(edit.path, edit.value);
  return document.toString({ lineWidth: 0 });
}

function read(text: string): unknown {
  const document = parseDocument(text);
  return document.errors.length === 0 ? document.toJS() : undefined;
}

function withValue(root: Json, { path, value }: Edit): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const object = root as { readonly [name: string]: Json };
  return { ...object, [name]: withValue(object[name] ?? {}, { path: rest, value }) };
}

function indentOf(text: string): string {
  return /\n([ \t]+)/.exec(text)?.[1] ?? '';
}

/** The text with the value replaced, or inserted as the first member; undefined if neither is possible. */
function splice(text: string, document: Document, { path, value }: Edit, isJson: boolean): string | undefined {
  const node: unknown = document.getIn(path, true);
  const printed = isJson ? JSON.stringify(value) : printYaml(value);
  if (isNode(node) && node.range && !node.anchor) {
    const [start, end] = node.range;
    if (!isCollection(node) || node.flow) return text.slice(0, start) + printed + text.slice(end);
    // A block begins on its own line and includes the final line break; a scalar needs neither.
    const lead = /:[ \t]*\r?\n[ \t]*$/.exec(text.slice(0, start));
    const head = lead ? `${text.slice(0, lead.index)}: ` : text.slice(0, start);
    return head + printed + text.slice(text[end - 1] === '\n' ? end - 1 : end);
  }
  const parent: unknown = document.getIn(path.slice(0, -1), true);
  const name = path.at(-1) as string;
  return isMap(parent)
    ? insert(text, parent, isJson ? `${JSON.stringify(name)}: ${printed}` : `${name}: ${printed}`)
    : undefined;
}

function insert(text: string, map: YAMLMap, member: string): string | undefined {
  const [first] = map.items;
  const start = map.range?.[0] ?? 0;
  if (!first) return map.flow ? `${text.slice(0, start)}{ ${member} }${text.slice(map.range?.[1])}` : undefined;
  const key = isScalar(first.key) ? first.key.range?.[0] : undefined;
  if (key === undefined) return undefined;
  const before = text.slice(map.flow ? start + 1 : text.lastIndexOf('\n', key - 1) + 1, key);
  if (before.trim() !== '') return undefined;
  return `${text.slice(0, key)}${member}${map.flow ? `,${before || ' '}` : `\n${before}`}${text.slice(key)}`;
}

/** A string that needs no quotes in YAML. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z][\w-]*(?: [\w-]+)*$/i;

function printYaml(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // As flow collections, on one line.
  if (Array.isArray(value)) return `[${value.map(printYaml).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, one]) => `${PLAIN.test(name) ? name : JSON.stringify(name)}: ${printYaml(one)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
