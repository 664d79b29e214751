/**
 * Resolves at the first SIGINT or SIGTERM, after which a second one ends the process at once. SIGHUP calls `onHangup`,
 * or does nothing.
 */
export function untilStopped(onHangup?: () => void): Promise<void> {
  process.on('SIGHUP', () => onHangup?.());
  return new Promise((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping) process.exit(1);
      stopping = true;
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
