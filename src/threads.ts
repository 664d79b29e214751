import type { MessagePort } from 'node:worker_threads';

/** What runs in threads of its own, by the names under which they are started. */
const THREADS: Readonly<Record<string, () => Promise<(port: MessagePort, options: unknown) => void>>> = {
  'room engine': async () => (await import('./rooms/store/room-engine-thread.ts')).serveRoomEngine,
};

/** Hands a thread over to what it was started for. */
export async function runThread(name: string, port: MessagePort, options: unknown): Promise<void> {
  const serve = await THREADS[name]?.();
  if (!serve) throw new Error(`there is no thread ${name}`);
  serve(port, options);
}
