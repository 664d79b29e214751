import { spawn } from 'node:child_process';
import type { Terminal } from './terminal.ts';

/** The shell's codes for a command that is not there or cannot be run. */
const NOT_RUN = new Set([126, 127]);

/**
 * Shows a text in the user's pager, PAGER or less, and resolves when it is left. Without a pager the text is written as it
 * is.
 */
export async function page(text: string, { env, out }: Pick<Terminal, 'env' | 'out'>): Promise<void> {
  const command = env.PAGER ?? 'less';
  if (command.trim() === '' || env.TERM === 'dumb' || !(await runPager(command, text, env))) out(text);
}

/** False: there is no such pager. */
function runPager(command: string, text: string, env: Terminal['env']): Promise<boolean> {
  // Less ends at once if all fits, keeps colours and leaves the text on the screen.
  const variables = { LESS: 'FRX', ...env };
  const stdio = ['pipe', 'inherit', env.PAGER === undefined ? 'ignore' : 'inherit'] as const;
  const child = spawn('/bin/sh', ['-c', command], { env: variables, stdio: [...stdio] });
  // Ctrl-C belongs to the pager.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  // The pager may be left before it has read everything.
  child.stdin?.on('error', () => {});
  child.stdin?.end(text);
  return new Promise((resolve) => {
    const end = (wasRun: boolean) => {
      process.off('SIGINT', ignore);
      resolve(wasRun);
    };
    child.once('error', () => end(false));
    child.once('close', (code) => end(code === null || !NOT_RUN.has(code)));
  });
}
