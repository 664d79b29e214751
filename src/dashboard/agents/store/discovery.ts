import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { systemCodeOf } from '../../../kernel/errors.ts';
import type { AgentLogs } from '../logs/log.ts';

/** A folder of an agent's logs that exists. */
export interface Root {
  readonly logs: AgentLogs;
  /** As it is configured, and without links. */
  readonly given: string;
  readonly path: string;
}

/** A log. */
export interface Found {
  readonly root: Root;
  /** Absolute. */
  readonly path: string;
}

/** The path of what is found below its root, with `/`. */
export function nameOf({ root, path }: Found): string {
  return path
    .slice(root.path.length + 1)
    .split(sep)
    .join('/');
}

/** What a search meets. */
export interface Visitor {
  folder(path: string, root: Root): void;
  log(found: Found): void;
  /** A link out of the root; links within lead to what is found anyway. */
  linkOut(path: string): void;
  unreadable(path: string, error: unknown): void;
}

/** The folders of agents that exist, each once. */
export function findRoots(
  given: readonly { readonly logs: AgentLogs; readonly folders: readonly string[] }[],
): readonly Root[] {
  const roots = new Map<string, Root>();
  for (const { logs, folders } of given) {
    for (const folder of folders) {
      const path = realPath(folder);
      const key = `${logs.id} ${path}`;
      if (path !== undefined && !roots.has(key)) roots.set(key, { logs, given: folder, path });
    }
  }
  return [...roots.values()];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Visits everything in a folder of a root, the folder first. `below`: its path in the root, with `/`. */
export function search(root: Root, below: string, visitor: Visitor): void {
  const path = join(root.path, below);
  visitor.folder(path, root);
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    // It was removed meanwhile.
    if (systemCodeOf(error) !== 'ENOENT') visitor.unreadable(path, error);
    return;
  }
  for (const entry of entries) visit(root, below === '' ? entry.name : `${below}/${entry.name}`, entry, visitor);
}

/** A directory entry, or the stats of a path itself. */
export type Entry = Pick<Dirent, 'isDirectory' | 'isFile' | 'isSymbolicLink'>;

/** Visits one entry of a folder. `name`: its path in the root, with `/`. */
export function visit(root: Root, name: string, entry: Entry, visitor: Visitor): void {
  if (entry.isDirectory()) search(root, name, visitor);
  else if (entry.isFile()) {
    if (root.logs.isLog(name)) visitor.log({ root, path: join(root.path, name) });
  } else if (entry.isSymbolicLink() && leadsOut(root, name)) visitor.linkOut(join(root.path, name));
}

/** Whether a link to a log or a folder leads out of the root. A dead link leads nowhere. */
function leadsOut(root: Root, name: string): boolean {
  const target = realPath(join(root.path, name));
  if (target === undefined || target === root.path || target.startsWith(root.path + sep)) return false;
  return root.logs.isLog(name) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
}
