import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { Json } from '../domain/json.ts';
import { findJsonFault } from './json-fault.ts';

/** A file of JSON or YAML that makes sense as such. */
export interface FlagDocument {
  readonly value: Json;
  /** The line, counted from 1, on which a part begins: its name, or the item of a list. The nearest one if there is none. */
  lineOf(path: readonly (string | number)[]): number;
}

/** Whether a file is read as JSON: by its name, or if that says nothing, because it begins with a brace. */
export function isJsonFile(name: string, text: string): boolean {
  if (/\.ya?ml$/i.test(name)) return false;
  return /\.json$/i.test(name) || /^\s*\{/.test(text);
}

/** How many values may be read through aliases, which can stand for one another and so multiply. */
const MAX_ALIASED = 10_000;

/** Reads a text as its name says. The reason of a refusal begins with the line. */
export function readDocument(name: string, text: string): Outcome<FlagDocument> {
  if (!isJsonFile(name, text)) return readYaml(text);
  const fault = findJsonFault(text);
  if (fault) {
    const line = text.slice(0, fault.offset).split('\n').length;
    return refused(`${line}: ${text.trim() === '' ? 'the file is empty' : fault.message}`);
  }
  // JSON is YAML too, so that one way leads to the lines; it is slow, and taken only when something is wrong.
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
