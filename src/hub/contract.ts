/** A server in the hub's `servers.json`. */
export interface HubEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly status: string;
  /** A shell command to try. */
  readonly example: string;
}
