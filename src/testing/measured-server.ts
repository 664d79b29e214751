import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server in a child process, controlled and measured by the process with its clients. */
export class MeasuredServer<Question extends string> {
  readonly #child: ChildProcess;
  port = 0;

  /** The file at `url` must call answerQuestions if the environment variable is set. */
  constructor(url: string, variable: string) {
    this.#child = fork(fileURLToPath(url), [], {
      env: { ...process.env, [variable]: '1' },
      execArgv: ['--expose-gc'],
    });
  }

  async start(): Promise<this> {
    this.port = await this.#answer();
    return this;
  }

  ask(question: Question): Promise<number> {
    const answer = this.#answer();
    this.#child.send(question);
    return answer;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  async #answer(): Promise<number> {
    const [answer] = (await once(this.#child, 'message')) as [number];
    return answer;
  }
}

/** In the measured process: reports its port and answers questions until the parent disconnects. */
export function answerQuestions<Question extends string>(
  url: string,
  answers: Readonly<Record<Question, () => number | Promise<number>>>,
  close: () => Promise<void>,
): void {
  process.on('message', async (question: Question) => process.send?.(await answers[question]()));
  process.once('disconnect', () => void close().finally(() => process.exit()));
  process.send?.(Number(new URL(url).port));
}
