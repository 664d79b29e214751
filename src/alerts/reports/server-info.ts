import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ActiveConfig } from '../config/active-config.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import { formatInstant } from '../contract/instant.ts';
import type { ServerInfo } from '../contract/server-info.ts';
import type { ClusterMember } from '../contract/wire.ts';
import type { AlertState } from '../state/alert-state.ts';
import { DATABASE_NAME } from '../state/local-storage.ts';
import type { Nodes } from '../state/nodes.ts';
import { API_VERSION } from '../version.ts';

export interface ServerInfoParts {
  readonly options: Pick<AlertServerOptions, 'storagePath'>;
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly member: ClusterMember | undefined;
  readonly nodes: Nodes | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** What runs, on which configuration and storage, and with which nodes. */
export function describeServer({ options, config, state, member, nodes, startedAt }: ServerInfoParts): ServerInfo {
  const { succeededAt, refusal } = config.reloadState;
  return {
    version: OPSDECK_VERSION,
    alertmanager: API_VERSION,
    node: nodes?.own.name ?? member?.name ?? '',
    startedAt: formatInstant(startedAt),
    configuration: {
      file: config.file === undefined ? null : resolve(config.file),
      loadedAt: formatInstant(succeededAt),
      ...(refusal !== undefined && { refusal }),
    },
    storage: nodes
      ? { kind: 'postgres', isUp: nodes.isUp, skewMs: Math.round(nodes.skewMs) }
      : { kind: 'directory', path: resolve(options.storagePath), bytes: bytesOf(options.storagePath) },
    nodes: nodes?.list().map((node) => describeNode(node, nodes)) ?? [],
    alerts: state.alerts.size,
    groups: state.groups.size,
    silences: state.silences.size,
  };
}

function describeNode(node: ReturnType<Nodes['list']>[number], { own }: Nodes): ServerInfo['nodes'][number] {
  const { name, address, isAlive } = node;
  return { name, address, isAlive, isOwn: name === own.name, hasSameConfiguration: node.configHash === own.configHash };
}

/** The database with what is not yet merged into it. */
function bytesOf(folder: string): number {
  const sizes = [DATABASE_NAME, `${DATABASE_NAME}-wal`].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
