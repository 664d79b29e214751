/** A slash command, as completion and help show it. */
export interface WireCommand {
  /** Small letters, without the slash. */
  readonly name: string;
  /** Shown beside the name while it is typed. */
  readonly hint: string;
  /** Its line in `/help`, also shown with a refusal of its arguments. */
  readonly help: string;
}

/** All commands, in the order of `/help`. */
export interface WireCommands {
  readonly commands: readonly WireCommand[];
}

/** The answer of a command for its caller alone. */
export interface WireNotice {
  readonly notice: string;
  readonly card: object | null;
}
