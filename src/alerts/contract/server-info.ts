/** GET /server: what runs, and on what. Instants are RFC 3339 texts. */
export interface ServerInfo {
  /** Of opsdeck. */
  readonly version: string;
  /** Of the Alertmanager whose API is served. */
  readonly alertmanager: string;
  readonly node: string;
  readonly startedAt: string;
  readonly configuration: {
    /** Null: the built-in one. */
    readonly file: string | null;
    readonly loadedAt: string;
    /** Why the last reload was refused; absent after a success. */
    readonly refusal?: string;
  };
  readonly storage:
    | { readonly kind: 'directory'; readonly path: string; readonly bytes: number }
    | { readonly kind: 'postgres'; readonly isUp: boolean; readonly skewMs: number };
  /** The nodes that share a database, this one included; empty without. */
  readonly nodes: readonly {
    readonly name: string;
    readonly address: string;
    readonly isAlive: boolean;
    readonly isOwn: boolean;
    readonly hasSameConfiguration: boolean;
  }[];
  readonly alerts: number;
  readonly groups: number;
  readonly silences: number;
}
