import type { Outcome } from '../domain/outcome.ts';
import type { AlertmanagerConfig } from './alertmanager-config.ts';
import type { ConfigSource } from './config-source.ts';
import { printConfig } from './print-config.ts';

/** The configuration in force. A reload that fails leaves it as it is. */
export class ActiveConfig {
  readonly #source: ConfigSource;
  readonly #now: () => number;
  #config: AlertmanagerConfig;
  #printed: string;
  #successful = true;
  #succeededAt: number;

  /** `config` is what the source held at the start. */
  constructor(source: ConfigSource, config: AlertmanagerConfig, now: () => number) {
    this.#source = source;
    this.#now = now;
    this.#config = config;
    this.#printed = printConfig(config);
    this.#succeededAt = now();
  }

  get current(): AlertmanagerConfig {
    return this.#config;
  }

  /** As YAML, with defaults filled in. */
  get printed(): string {
    return this.#printed;
  }

  /** Whether the last reload worked, and when one last did (epoch milliseconds). */
  get reloadState(): { readonly successful: boolean; readonly succeededAt: number } {
    return { successful: this.#successful, succeededAt: this.#succeededAt };
  }

  reload(): Outcome<AlertmanagerConfig> {
    const config = this.#source.read();
    this.#successful = config.ok;
    if (!config.ok) return config;
    this.#config = config.value;
    this.#printed = printConfig(config.value);
    this.#succeededAt = this.#now();
    return config;
  }
}
