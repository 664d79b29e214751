import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { Json } from '../domain/json.ts';
import { findJsonFault } from './json-fault.ts';

/** A valid JSON or YAML file. */
export interface FlagDocument {
  readonly value: Json;
  /** The line (from 1) of a property name or list item; that of the nearest ancestor if it does not exist. */
  lineOf(path: readonly (string | number)[]): number;
}

/** Whether a file is JSON: by its extension, otherwise if it begins with a brace. */
export function isJsonFile(name: string, text: string): boolean {
  if (/\.ya?ml$/i.test(name)) return false;
  return /\.json$/i.test(name) || /^\s*\{/.test(text);
}

/** Maximum number of aliased values, as nested aliases multiply. */
const MAX_ALIASED = 10_000;

/** Reads JSON or YAML. A refusal begins with the line number. */
export function readDocument(name: string, text: string): Outcome<FlagDocument> {
  if (!isJsonFile(name, text)) return readYaml(text);
  const fault = findJsonFault(text);
  if (fault) {
    const line = text.slice(0, fault.offset).split('\n').length;
    return refused(`${line}: ${text.trim() === '' ? 'the file is empty' : fault.message}`);
  }
  // The YAML parser finds lines of JSON too; it is slow, and only used for error messages.
  let parsed: ReturnType<typeof parseLines> | undefined;
  const lineOf = (path: readonly (string | number)[]) => {
    parsed ??= parseLines(text);
    return lineAt(parsed.root, parsed.lines, path);
  };
  return accepted({ value: JSON.parse(text) as Json, lineOf });
}

function readYaml(text: string): Outcome<FlagDocument> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, stringKeys: true });
  const [error] = document.errors;
  if (error) return refused(`${error.linePos?.[0].line ?? 1}: ${firstLine(error.message)}`);
  if (document.contents === null) return refused('1: the file is empty');
  try {
    const value = document.toJS({ maxAliasCount: MAX_ALIASED }) as Json;
    return accepted({ value, lineOf: (path) => lineAt(document.contents, lines, path) });
  } catch (error) {
    return refused(`1: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] as string).replace(/ at line \d+, column \d+:?$/, '');
}

function parseLines(text: string): { readonly root: Node | null; readonly lines: LineCounter } {
  const lines = new LineCounter();
  return { root: parseDocument(text, { lineCounter: lines }).contents, lines };
}

function lineAt(root: Node | null, lines: LineCounter, path: readonly (string | number)[]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}
