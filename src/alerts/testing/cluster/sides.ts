import { eventually } from '../../../testing/eventually.ts';
import { freePort, type RunningPostgres, startPostgres } from '../../../testing/postgres.ts';
import {
  type Cleanup,
  configFile,
  Janitor,
  type RunningServer,
  startAlertmanager,
  startOpsdeck,
} from '../../../testing/processes.ts';

/** Servers that are one to their clients, ready. */
export interface MeasuredServers {
  readonly servers: readonly RunningServer[];
  readonly postgres?: RunningPostgres;
}

/** A kind of server, alone or of several nodes. */
export interface ClusterSide {
  readonly name: string;
  /** `config` is the text of alertmanager.yml. */
  readonly start: (t: Cleanup, config?: string) => Promise<MeasuredServers>;
}

const NODES = 3;
/** The address in the notifications of a node. */
const externalUrlOf = (index: number) => `http://node-${index}.test`;

/** The index of the node that has sent a notification. */
export function senderOf(body: string): number {
  const { externalURL } = JSON.parse(body) as { readonly externalURL: string };
  return Array.from({ length: NODES }, (_, index) => externalUrlOf(index)).indexOf(externalURL);
}

async function startOverPostgres(t: Cleanup, size: number, config?: string): Promise<MeasuredServers> {
  const postgres = await startPostgres(t);
  const common = ['--config.file', configFile(t, config), '--storage.url', postgres.url];
  const servers: RunningServer[] = [];
  for (let index = 0; index < size; index++) {
    const own = ['--cluster.peer-name', `node-${index}`, '--web.external-url', externalUrlOf(index)];
    servers.push(await startOpsdeck(t, [...common, ...own]));
  }
  await membersKnown(servers);
  return { servers, postgres };
}

async function startGossip(t: Cleanup, config?: string): Promise<MeasuredServers> {
  const servers: RunningServer[] = [];
  const peers: string[] = [];
  for (let index = 0; index < NODES; index++) {
    const address = `127.0.0.1:${await freePort()}`;
    const args = [`--cluster.listen-address=${address}`, `--web.external-url=${externalUrlOf(index)}`];
    args.push(...peers.map((peer) => `--cluster.peer=${peer}`));
    servers.push(await startAlertmanager(t, { ...(config === undefined ? {} : { config }), args }));
    peers.push(address);
  }
  await membersKnown(servers);
  return { servers };
}

interface Status {
  readonly cluster: { readonly status: string; readonly peers: readonly unknown[] };
}

/** Each node is ready and knows all others. */
async function membersKnown(servers: readonly RunningServer[]): Promise<void> {
  for (const { url } of servers) {
    await eventually('a whole cluster', async () => {
      const { cluster } = (await (await fetch(`${url}/api/v2/status`)).json()) as Status;
      return cluster.status === 'ready' && cluster.peers.length === servers.length;
    });
  }
}

export const SQLITE: ClusterSide = {
  name: 'opsdeck, SQLite',
  start: async (t, config) => ({ servers: [await startOpsdeck(t, ['--config.file', configFile(t, config)])] }),
};

export const ONE_NODE: ClusterSide = {
  name: 'one node, PostgreSQL',
  start: (t, config) => startOverPostgres(t, 1, config),
};

export const NODES_OVER_POSTGRES: ClusterSide = {
  name: 'three nodes, PostgreSQL',
  start: (t, config) => startOverPostgres(t, NODES, config),
};

export const ALERTMANAGER_ALONE: ClusterSide = {
  name: 'Alertmanager',
  start: async (t, config) => ({ servers: [await startAlertmanager(t, config === undefined ? {} : { config })] }),
};

export const GOSSIP: ClusterSide = { name: 'three by gossip', start: startGossip };

/** Calls `measure` for fresh servers of each side in turn, and in the opposite order in every second round. */
export async function alternateClusters(
  rounds: number,
  sides: readonly ClusterSide[],
  measure: (side: ClusterSide, t: Cleanup) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      process.stderr.write('.');
      const janitor = new Janitor();
      try {
        await measure(side, janitor);
      } finally {
        await janitor.clean();
      }
    }
  }
}
