/** One server in the hub's `servers.json`. */
export interface HubEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly status: string;
  /** An example of a shell command. */
  readonly example: string;
}
