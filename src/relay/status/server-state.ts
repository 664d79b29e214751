import type { ServerState } from '../../kernel/deck/report.ts';
import type { Readiness } from '../environment.ts';
import type { ConnectionStatus } from './connection-status.ts';

type Connection = Pick<ConnectionStatus, 'state'>;

/**
 * `failing`: an environment has no data after its time to start, or a key is refused; `degraded`: data may be old. `list` is
 * the connection of automatic configuration.
 */
export function stateOf(
  environments: readonly { readonly readiness: Readiness; readonly connection: Connection }[],
  list: Connection | undefined,
): ServerState {
  const states = [...environments.map(({ connection }) => connection), ...(list ? [list] : [])].map(
    ({ state }) => state,
  );
  if (states.includes('OFF') || environments.some(({ readiness }) => readiness === 'waiting')) return 'failing';
  return states.every((state) => state === 'VALID') ? 'ready' : 'degraded';
}
