import { holdProcess } from '../clock.ts';
import { systemCodeOf } from '../errors.ts';
import { isLoopbackHost } from '../http/site-address.ts';
import type { Terminal } from './terminal.ts';

const PAUSE_MS = 50;

/** Whether nothing listens there, which says the error or one of its causes. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && (systemCodeOf(error) === 'ECONNREFUSED' || isRefused(error.cause));
}

/**
 * Sends a request to a server. While nothing listens at an address of this machine it is sent again, for as long as the
 * terminal waits for a start: the server may be the command before, with an `&` at its end.
 */
export async function awaitStart<T>(
  url: string,
  { clock, startWaitMs = 0 }: Pick<Terminal, 'clock' | 'startWaitMs'>,
  send: () => Promise<T>,
): Promise<T> {
  const givenUpAt = clock.monotonic() + (isLoopbackHost(new URL(url).hostname) ? startWaitMs : 0);
  const release = holdProcess();
  try {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (!isRefused(error) || clock.monotonic() + PAUSE_MS > givenUpAt) throw error;
        await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
      }
    }
  } finally {
    release();
  }
}
