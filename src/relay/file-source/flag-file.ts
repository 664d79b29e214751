import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { readFlag } from '../domain/flag.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { readSegment } from '../domain/segment.ts';
import type { ItemKind } from '../flag-store.ts';
import { type FlagDocument, readDocument } from './document.ts';

export interface FlagFile {
  readonly name: string;
  readonly text: string;
}

/** A flag or segment of a file, completed with defaults except for the version. */
export interface FileItem {
  readonly kind: ItemKind;
  readonly key: string;
  readonly json: { readonly [name: string]: Json };
  /** File and line, such as `flags.yml:12`. Slow: parses the file again. */
  place(): string;
}

const ANYWHERE = { usingMobileKey: true, usingEnvironmentId: true };

/** Reads all files, or none. A refusal lists every mistake on its own line, with file and line number. */
export function readFlagFiles(files: readonly FlagFile[]): Outcome<readonly FileItem[]> {
  const problems: string[] = [];
  const items: FileItem[] = [];
  const known = new Map<string, FileItem>();
  for (const file of files) {
    for (const item of readFlagFile(file, problems)) {
      const id = `${item.kind} ${item.key}`;
      const other = known.get(id);
      if (other) {
        const title = `${nameOf(item.kind)} ${JSON.stringify(item.key)}`;
        problems.push(`${item.place()}: ${title} is also defined in ${other.place()}`);
      } else {
        items.push(item);
        known.set(id, item);
      }
    }
  }
  return problems.length === 0 ? accepted(items) : refused(problems.join('\n'));
}

function nameOf(kind: ItemKind): string {
  return kind === 'flags' ? 'flag' : 'segment';
}

const PARTS = ['flags', 'flagValues', 'segments'] as const;

function readFlagFile({ name, text }: FlagFile, problems: string[]): readonly FileItem[] {
  const read = readDocument(name, text);
  if (!read.ok) {
    problems.push(`${name}:${read.reason}`);
    return [];
  }
  const document = read.value;
  const root = document.value;
  const complain = (path: readonly (string | number)[], message: string) =>
    problems.push(`${name}:${document.lineOf(path)}: ${message}`);
  if (!isJsonObject(root) || !PARTS.some((part) => part in root)) {
    complain([], 'expected an object with flags, flagValues or segments');
    return [];
  }
  return PARTS.flatMap((part) => {
    const items = root[part] ?? {};
    if (isJsonObject(items))
      return Object.entries(items).flatMap(([key, json]) => readItem(part, key, json, name, document, complain));
    complain([part], `${part}: expected an object`);
    return [];
  });
}

function readItem(
  part: (typeof PARTS)[number],
  key: string,
  json: Json,
  name: string,
  document: FlagDocument,
  complain: (path: readonly (string | number)[], message: string) => void,
): readonly FileItem[] {
  const kind = part === 'segments' ? 'segments' : 'flags';
  const full = part === 'flagValues' ? flagOfValue(json) : json;
  const title = `${nameOf(kind)} ${JSON.stringify(key)}`;
  if (key === '') complain([part, key], `a ${nameOf(kind)} has an empty key`);
  if (isJsonObject(full) && typeof full.key === 'string' && full.key !== key) {
    complain([part, key, 'key'], `${title}: its key is ${JSON.stringify(full.key)}`);
    return [];
  }
  const item = isJsonObject(full) ? fill(kind, key, full) : full;
  const checked = kind === 'flags' ? readFlag(item) : readSegment(item);
  if (!checked.ok) {
    complain([part, key, ...pathOf(checked.reason)], `${title}: ${checked.reason}`);
    return [];
  }
  if (checked.value.deleted) return [];
  const place = () => `${name}:${document.lineOf([part, key])}`;
  return [{ kind, key, json: item as FileItem['json'], place }];
}

/** The short form, as in the file data source of LaunchDarkly's SDKs: on, with a single variation. */
function flagOfValue(value: Json): Json {
  return { on: true, variations: [value], fallthrough: { variation: 0 }, offVariation: 0 };
}

/** Adds key, salt and client-side availability if absent or null. */
function fill(kind: ItemKind, key: string, item: FileItem['json']): FileItem['json'] {
  const { clientSideAvailability, clientSide } = item;
  const isVisible = kind === 'flags' && (clientSideAvailability ?? clientSide ?? undefined) === undefined;
  return { ...item, key, salt: item.salt ?? key, ...(isVisible && { clientSideAvailability: ANYWHERE }) };
}

/** The path in a message such as `rules[0].clauses: expected array, got string`. */
function pathOf(reason: string): readonly (string | number)[] {
  const path = /^([\w.[\]]+): expected/.exec(reason)?.[1] ?? '';
  return [...path.matchAll(/\[(\d+)\]|(\w+)/g)].map(([, index, name]) =>
    index === undefined ? (name as string) : Number(index),
  );
}
