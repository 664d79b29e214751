import { browserClock } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';

/** How long a browser may take until it has begun to read a file. */
const READ_MS = 60_000;

/** Hands a file to the person. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  browserClock.after(READ_MS, () => URL.revokeObjectURL(address));
}
