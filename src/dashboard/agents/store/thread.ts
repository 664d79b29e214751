import { systemClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { answerCalls, laterMethods, logOver, type Port } from '../../../kernel/threads/calls.ts';
import { ownProgram, startThread } from '../../../kernel/threads/thread.ts';
import type { AgentId } from '../event.ts';
import type { AgentStoreMethods, AgentStorePart } from './contract.ts';

/** The name under which it is started. */
export const AGENTS_PART = 'logs of assistants';

/** Lines of logs are garbage at once, and a log that is one document is at most `MAX_DOCUMENT_BYTES` long. */
const YOUNG_MEGABYTES = 8;
const OLD_MEGABYTES = 1024;

/** Can be copied. */
export interface AgentStoreOptions {
  readonly agents: readonly AgentId[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly dataDir: string | undefined;
  readonly prices: string | undefined;
  /** Whether the thread before has died: its database may be damaged. */
  readonly isSuspect?: boolean;
}

/**
 * Starts the reading of logs in a thread, or in this one for a program that is no single file. An error at opening is
 * reported by the first call.
 */
export function startAgentStore(options: AgentStoreOptions, log: Log): AgentStorePart {
  if (ownProgram === undefined) return openHere(options, log);
  return startThread<AgentStoreMethods>({
    program: ownProgram(),
    name: AGENTS_PART,
    options,
    log,
    revive: () => undefined,
    youngMegabytes: YOUNG_MEGABYTES,
    oldMegabytes: OLD_MEGABYTES,
  });
}

function openHere(options: AgentStoreOptions, log: Log): AgentStorePart {
  const opening = open(options, log);
  opening.catch(() => {});
  return {
    methods: laterMethods(opening) as AgentStoreMethods,
    died: new Promise(() => {}),
    end: async () => {},
  };
}

/** Runs in the thread. */
export function serveAgentStore(port: Port, options: unknown): void {
  const opening = open(options as AgentStoreOptions, logOver(port));
  opening.catch(() => {});
  answerCalls(port, laterMethods(opening));
}

async function open(options: AgentStoreOptions, log: Log): Promise<AgentStoreMethods> {
  const { openAgentStore } = await import('./open.ts');
  return openAgentStore(options, systemClock, log);
}
