import type { ServerState } from '../kernel/deck/report.ts';
import type { RoomsOptions } from './config/rooms-options.ts';
import type { ClosedSecret } from './domain/closed-secret.ts';
import type { RoomNodes } from './nodes/nodes.ts';
import type { RoomWriter } from './room/writer.ts';

/** The release of this interface. Source: the service whose interface it continues. */
export const ROOMS_VERSION = '0.4.5';

/** Of the program; missing in a test that was bundled alone. */
export const PROGRAM_VERSION = typeof OPSDECK_VERSION === 'string' ? OPSDECK_VERSION : 'unbuilt';

export interface HealthSources {
  readonly options: Pick<RoomsOptions, 'durability' | 'nodeId' | 'readOnly'>;
  readonly nodes: Pick<RoomNodes, 'away' | 'weakness'> | undefined;
  readonly writer: Pick<RoomWriter, 'pos' | 'trouble'>;
  readonly connections: () => number;
  readonly runs: () => { readonly running: number; readonly queued: number };
  readonly closedSecrets: () => readonly ClosedSecret[];
}

/** The server's health, in its wire form. */
export interface Health {
  readonly status: 'healthy' | 'degraded';
  readonly version: string;
  readonly store: {
    readonly kind: 'sqlite' | 'postgres';
    readonly state: 'ready' | 'read-only' | 'full' | 'failed' | 'away' | 'closing';
    readonly durability: RoomsOptions['durability'];
    readonly pos: number;
    /** How far reads lag behind writes: never. */
    readonly lagMs: 0;
    /** Why PostgreSQL is away. */
    readonly reason?: string;
    /** What PostgreSQL promises less than these rooms do, and the remedy. */
    readonly warning?: string;
  };
  readonly sse: { readonly connections: number };
  readonly copilot: { readonly running: number; readonly queued: number };
  /** Stored secrets that this server's key does not decrypt; named for admins of the server only. */
  readonly secrets: { readonly closed: number; readonly reenter?: readonly ClosedSecret[] };
  readonly node: string;
}

export interface HealthFindings {
  readonly health: Health;
  /** Whether writes are accepted; with `--read-only` they are not, which is no failure. */
  readonly accepts: boolean;
  readonly closed: readonly ClosedSecret[];
}

export function readHealth(sources: HealthSources): HealthFindings {
  const { options, nodes, writer, connections, runs, closedSecrets } = sources;
  const state = storeStateOf(sources);
  const isWeak = nodes ? nodes.weakness !== undefined : options.durability === 'off';
  const durability = isWeak ? 'off' : 'full';
  const { running, queued } = runs();
  const closed = closedSecrets();
  const health: Health = {
    status: state === 'ready' && !isWeak && closed.length === 0 ? 'healthy' : 'degraded',
    version: ROOMS_VERSION,
    store: {
      ...{ kind: nodes ? 'postgres' : 'sqlite', state, durability, pos: writer.pos, lagMs: 0 },
      ...(nodes?.away ? { reason: `PostgreSQL is away: ${nodes.away.reason}` } : {}),
      ...(nodes?.weakness === undefined ? {} : { warning: nodes.weakness }),
    },
    sse: { connections: connections() },
    copilot: { running, queued },
    secrets: { closed: closed.length },
    node: options.nodeId,
  };
  return { health, accepts: state === 'ready' || state === 'read-only', closed };
}

/** Of the server, in the header of every page. */
export function stateOf({ health, accepts }: HealthFindings): ServerState {
  if (!accepts) return 'failing';
  return health.status === 'healthy' ? 'ready' : 'degraded';
}

function storeStateOf({ options, nodes, writer }: HealthSources): Health['store']['state'] {
  const code = writer.trouble?.code;
  if (nodes?.away && code !== 'shutting_down') return 'away';
  switch (code) {
    case undefined:
      return 'ready';
    case 'storage_full':
      return 'full';
    case 'shutting_down':
      return 'closing';
    default:
      return options.readOnly ? 'read-only' : 'failed';
  }
}
