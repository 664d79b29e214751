/** Runs steps, each in a task of its own, so that they do not block the page. */
export class StepRunner {
  readonly #nextTask: () => Promise<void>;
  #runs = 0;

  /** `nextTask` resolves in a task of its own. */
  constructor(nextTask: () => Promise<void>) {
    this.#nextTask = nextTask;
  }

  /** Resolves after the last step; a later run cancels the steps of an earlier one. */
  async run(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
    this.#runs += 1;
    const mine = this.#runs;
    for (const step of steps) {
      await this.#nextTask();
      if (mine !== this.#runs) return;
      await step();
    }
  }
}
