/** The first file descriptor that systemd passes to a service. */
const FIRST_DESCRIPTOR = 3;

/**
 * The file descriptors of the sockets that systemd has opened for this process; empty if there are none. Their variables
 * are removed from the environment, as they are not meant for child processes. Source: sd_listen_fds(3).
 */
export function takeInheritedSockets(env: NodeJS.ProcessEnv, pid: number): readonly number[] {
  const { LISTEN_PID, LISTEN_FDS } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (LISTEN_PID !== String(pid) || !/^\d{1,4}$/.test(LISTEN_FDS ?? '')) return [];
  return Array.from({ length: Number(LISTEN_FDS) }, (_, index) => FIRST_DESCRIPTOR + index);
}
