import { sep } from 'node:path';
import type { AgentReport } from '../../contract/agents.ts';
import type { AgentLogs } from '../logs/log.ts';
import type { LogFollower } from './follower.ts';
import type { LogReading } from './log-reading.ts';

/** Why something was not read. */
export interface Skipped {
  /** Lines and documents that were not understood. */
  lines: number;
  /** Lines beyond the limit. */
  longLines: number;
  /** Links out of their folder. */
  links: number;
  /** Files and folders that cannot be read. */
  unreadable: number;
}

/** What was found of an agent, and what of it was not read. */
export function reportOn(logs: AgentLogs, events: number, follower: LogFollower, reading: LogReading): AgentReport {
  const roots = follower.roots.filter((root) => root.logs === logs);
  const folders = new Map(roots.map((root) => [root.path, { path: root.given, files: 0 }]));
  const isHere = (path: string) => roots.some((root) => path === root.path || path.startsWith(root.path + sep));
  const skipped: Skipped = { lines: 0, longLines: 0, links: countIf(follower.links, isHere), unreadable: 0 };
  skipped.unreadable = countIf(follower.unreadable, isHere);
  let files = 0;
  let bytes = 0;
  for (const [path, { root, size }] of follower.logs) {
    if (root.logs !== logs) continue;
    files++;
    bytes += size;
    const folder = folders.get(root.path);
    if (folder) folder.files++;
    const mark = reading.markOf(path);
    skipped.lines += mark?.badLines ?? 0;
    skipped.longLines += mark?.longLines ?? 0;
    if (reading.isUnreadable(path)) skipped.unreadable++;
  }
  const counted = Object.fromEntries(Object.entries(skipped).filter(([, count]) => count > 0));
  return { agent: logs.id, files, bytes, events, skipped: counted, folders: [...folders.values()] };
}

function countIf(paths: Iterable<string>, isCounted: (path: string) => boolean): number {
  let count = 0;
  for (const path of paths) if (isCounted(path)) count++;
  return count;
}
