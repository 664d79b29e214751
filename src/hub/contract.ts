/** One server as the hub's `servers.json` tells of it. */
export interface HubEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly status: string;
  /** A shell command to try. */
  readonly example: string;
}
