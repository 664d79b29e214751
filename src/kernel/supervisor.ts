import type { Terminal } from './terminal/terminal.ts';

/**
 * Tells systemd, if it waits for that (`Type=notify`), that the server has started, and from then on, for its watchdog, that
 * the event loop turns. Node has no datagram sockets of Unix, so that `systemd-notify` sends the messages.
 */
export function announceStart({ env, clock, err }: Pick<Terminal, 'env' | 'clock' | 'err'>): void {
  if (!env.NOTIFY_SOCKET) return;
  const notify = async (message: string) => {
    const { spawn } = await import('node:child_process');
    const sender = spawn('systemd-notify', [message], { stdio: 'ignore', env });
    sender.once('error', ({ message }) => err(`opsdeck: systemd cannot be notified: ${message}\n`));
  };
  void notify('--ready');
  const watchdogMs = Number(env.WATCHDOG_USEC) / 1_000;
  if (watchdogMs > 0) clock.every(watchdogMs / 2, () => void notify('WATCHDOG=1'));
}
