/** A node of the cluster. */
export interface AlertNode {
  readonly name: string;
  /** `host:port` */
  readonly address: string;
  readonly isAlive: boolean;
  readonly configHash: string;
}

/** The nodes that share a database. */
export interface Nodes {
  /** With this one, sorted by name. */
  list(): readonly AlertNode[];
  readonly own: AlertNode;
  /** The place of this node among the live ones, from 0. */
  readonly position: number;
  /** Whether the database can be used. */
  readonly isUp: boolean;
  /** The machine's clock minus the database's, in milliseconds. */
  readonly skewMs: number;
  /** Tells the others which configuration is in force here. */
  setConfigHash(hash: string): void;
}

/** Live nodes whose configuration is another than that of this node. */
export function differingNodes(nodes: Nodes): readonly AlertNode[] {
  const { configHash } = nodes.own;
  return nodes.list().filter((node) => node.isAlive && node.configHash !== configHash);
}
