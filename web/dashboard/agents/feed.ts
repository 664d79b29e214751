import type { AgentChange, AgentReading } from '../../../src/dashboard/contract/agents.ts';

export interface AgentFeedParts {
  /** Progress of the server's first reading; undefined: it has ended. */
  onReading(reading: AgentReading | undefined): void;
  /** The requests of assistants may have changed. */
  onVersion(version: number): void;
}

/** Listens to changes of the logs of assistants while the page is visible: a browser has few connections to a server. */
export class AgentFeed {
  readonly #parts: AgentFeedParts;
  #source: EventSource | undefined;

  constructor(parts: AgentFeedParts) {
    this.#parts = parts;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#follow());
    this.#follow();
  }

  #follow(): void {
    if (document.hidden) {
      this.#source?.close();
      this.#source = undefined;
      return;
    }
    if (this.#source) return;
    // The browser connects again by itself; the first message then says what was missed.
    this.#source = new EventSource('./api/agents/changes');
    this.#source.addEventListener('error', () => this.#parts.onReading(undefined));
    this.#source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const { version, reading } = JSON.parse(data) as AgentChange;
      this.#parts.onReading(reading);
      if (!reading) this.#parts.onVersion(version);
    });
  }
}
