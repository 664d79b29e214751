import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, AgentId } from '../event.ts';
import { agentLogs } from '../logs/index.ts';

/** What an agent's logs below `home` yield, read whole. */
export interface ReadLogs {
  /** Each answer once, by its rank. */
  readonly events: readonly AgentEvent[];
  readonly refused: number;
}

export function readLogs(id: AgentId, home: string): ReadLogs {
  const logs = agentLogs(id);
  const found = new Map<string, AgentEvent>();
  let refused = 0;
  for (const folder of logs.folders({}, home).filter((path) => existsSync(path))) {
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const path of paths.filter((name) => logs.isLog(name)).sort()) {
      const reader = logs.open(path);
      for (const line of linesOf(readFileSync(join(folder, path)), logs.form)) {
        const events = reader.read(line);
        if (!events) refused++;
        for (const event of events ?? []) {
          if (event.rank > (found.get(event.key)?.rank ?? -1)) found.set(event.key, event);
        }
      }
    }
  }
  return { events: [...found.values()], refused };
}

/** What a reader is given of a file. */
export function* linesOf(content: Buffer, form: 'lines' | 'whole'): Iterable<Buffer> {
  if (form === 'whole') return yield content;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf('\n', start);
    yield content.subarray(start, end < 0 ? undefined : end);
    start = end < 0 ? content.length : end + 1;
  }
}
