import type { Terminal } from './terminal.ts';

/** Writes a text, in a pager if it is longer than the terminal. */
export async function show(text: string, terminal: Terminal): Promise<void> {
  const rows = terminal.size?.rows ?? Number.POSITIVE_INFINITY;
  const lines = text.split('\n').length;
  // The last row is the prompt's.
  if (lines > rows && terminal.page) await terminal.page(text);
  else terminal.out(text);
}
