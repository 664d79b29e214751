/** This server as a member of its cluster of one. */
export interface ClusterMember {
  readonly name: string;
  /** `host:port` */
  readonly address: string;
}

/** Which program answers; the names are Alertmanager's. */
export interface VersionInfo {
  readonly version: string;
  readonly revision: string;
  readonly branch: string;
  readonly buildUser: string;
  readonly buildDate: string;
  readonly goVersion: string;
}
