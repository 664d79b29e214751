/** Flag or segment data that cannot be evaluated. */
export class Malformed {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Whether something matches, or why that cannot be evaluated. */
export type Match = boolean | Malformed;
