import type { AgentReading, AgentStatus } from '../../../src/dashboard/contract/agents.ts';
import { fetchAgentStatus } from '../data/server-api.ts';
import type { Notices } from '../notice/notices.ts';
import type { ProgressBar } from '../notice/progress-bar.ts';
import type { Progress } from '../text/messages.ts';
import { AgentFeed } from './feed.ts';
import { priceNotice } from './texts.ts';

export interface AgentPanelParts {
  notices(): Notices;
  progress(): ProgressBar;
  /** The requests have changed; the status is new. */
  onChange(): void;
}

/** The logs of assistants: their first reading, their changes, and what is to be said about them. */
export class AgentPanel {
  readonly #parts: AgentPanelParts;
  #status: AgentStatus | undefined;
  #version: number | undefined;
  #unknown = '';
  #onReading: ((reading: AgentReading | undefined) => void) | undefined;

  constructor(parts: AgentPanelParts) {
    this.#parts = parts;
  }

  /** Undefined: no logs are read, or nothing is known of them yet. */
  get status(): AgentStatus | undefined {
    return this.#status;
  }

  /** Whether the logs hold requests of any time. */
  get hasEvents(): boolean {
    return this.#status?.agents.some(({ events }) => events > 0) === true;
  }

  /** Begins to follow the logs. Resolves when they have been read, or the reader of the page does not want to wait. */
  async start(): Promise<void> {
    const feed = new AgentFeed({
      onReading: (reading) => this.#onReading?.(reading),
      onVersion: (version) => void this.#follow(version),
    });
    const { progress } = this.#parts;
    await progress().follow(
      ({ t }) => t('progress.logs'),
      (onProgress, signal) => {
        const read = this.#firstReading(onProgress, signal);
        feed.start();
        return read;
      },
    );
    await this.#load();
  }

  #firstReading(onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#onReading = (reading) => {
        if (reading) onProgress({ done: reading.bytes, total: reading.totalBytes, count: 0 });
        else resolve();
      };
    });
  }

  async #follow(version: number): Promise<void> {
    const isFirst = this.#version === undefined;
    if (this.#version === version) return;
    this.#version = version;
    if (isFirst) return;
    await this.#load();
    this.#parts.onChange();
  }

  async #load(): Promise<void> {
    this.#status = (await fetchAgentStatus().catch(() => undefined)) ?? this.#status;
    this.#showNotice();
  }

  /** Each model without a price is named once, until its notice is closed. */
  #showNotice(): void {
    const { unknownModels = [] } = this.#status ?? {};
    const unknown = unknownModels.join('\n');
    if (unknown === this.#unknown) return;
    this.#unknown = unknown;
    this.#parts.notices().show('prices', (ui) => priceNotice(unknownModels, ui));
  }
}
