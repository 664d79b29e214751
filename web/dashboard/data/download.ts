import { browserClock } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';

/** Time for a browser to begin reading a file. */
const READ_MS = 60_000;

/** Saves a file in the browser. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  browserClock.after(READ_MS, () => URL.revokeObjectURL(address));
}
