import type { Clock } from '../../kernel/clock.ts';
import type { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import type { Members } from '../../kernel/postgres/members.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { differingNodes, type Nodes } from '../state/nodes.ts';

/** The nodes as the rest of the server sees them. */
export function nodesOf(postgres: Postgres, members: Members): Nodes {
  return {
    list: () => members.list(),
    get own() {
      return members.own;
    },
    get position() {
      return members.position;
    },
    get isUp() {
      return postgres.isUp;
    },
    get skewMs() {
      return postgres.skewMs;
    },
    setConfigHash: (hash) => members.setConfigHash(hash),
  };
}

const WATCH_MS = 1_000;
const CONDITION = 'configuration';

export interface ConfigWatch {
  readonly nodes: Nodes;
  readonly configHash: () => string;
  readonly conditions: Conditions;
  readonly clock: Clock;
  readonly log: Log;
}

/** Names the nodes whose configuration differs, in the log and as a condition. Returns the function that ends it. */
export function watchConfig({ nodes, configHash, conditions, clock, log }: ConfigWatch): () => void {
  let hash = configHash();
  let named = '';
  return clock.every(WATCH_MS, () => {
    if (hash !== configHash()) {
      hash = configHash();
      nodes.setConfigHash(hash);
    }
    const names = differingNodes(nodes).map(({ name }) => name);
    const differing = names.join(', ');
    if (differing === named) return;
    named = differing;
    if (names.length === 0) {
      conditions.clear(CONDITION);
      log.info('all nodes have the same config');
      return;
    }
    const text = `the configuration differs from that of ${differing}`;
    conditions.set(CONDITION, { code: 'configuration_differs', text, values: { nodes: differing } });
    log.warn('the config files of the nodes differ: give all of them the same', { nodes: differing });
  });
}
