/** Why an evaluation cannot come to a result: flag or segment data that make no sense. */
export class Malformed {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Whether something matched, or that the question makes no sense. */
export type Match = boolean | Malformed;
