import { AGENTS_PART } from './dashboard/agents/store/thread.ts';
import { BCRYPT_PART } from './kernel/http/bcrypt-thread.ts';
import type { Port } from './kernel/threads/calls.ts';
import { RELAY_WORKER } from './relay/workers/contract.ts';

/** The parts that run in threads, by name. */
const PARTS: Readonly<Record<string, () => Promise<(port: Port, options: unknown) => void>>> = {
  'room engine': async () => (await import('./rooms/store/engine-thread.ts')).serveRoomEngine,
  [RELAY_WORKER]: async () => (await import('./relay/composition/worker-thread.ts')).serveRelayWorker,
  [AGENTS_PART]: async () => (await import('./dashboard/agents/store/thread.ts')).serveAgentStore,
  [BCRYPT_PART]: async () => (await import('./kernel/http/bcrypt-thread.ts')).serveBcrypt,
};

/** Runs a part in this thread. */
export async function runPart(name: string, port: Port, options: unknown): Promise<void> {
  const serve = await PARTS[name]?.();
  if (!serve) throw new Error(`the program has no part ${name}`);
  serve(port, options);
}
