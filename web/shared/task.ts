import type { Clock } from './clock.ts';

/** Maximum wait for a frame: hidden pages make none. */
const NO_FRAME_MS = 100;

/** Resolves in a task of its own, after pending messages; a timer would take 4 ms. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

/** Resolves once the next frame has been made. */
export async function nextFrame(clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const giveUp = clock.after(NO_FRAME_MS, resolve);
    requestAnimationFrame(() => {
      giveUp();
      resolve();
    });
  });
  await nextTask();
}
