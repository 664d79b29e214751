import type { Outcome } from '../../kernel/outcome.ts';
import type { AlertmanagerConfig } from './alertmanager-config.ts';
import type { ConfigSource } from './config-source.ts';

/**
 * The configuration in force. A reload reads the new one; its user then prepares it and ends the reload with `activate`,
 * or with `refuse`, which keeps the old one.
 */
export class ActiveConfig {
  readonly #source: ConfigSource;
  readonly #now: () => number;
  #config: AlertmanagerConfig;
  #refusal: string | undefined;
  #succeededAt: number;

  /** `config` is what the source held at the start. */
  constructor(source: ConfigSource, config: AlertmanagerConfig, now: () => number) {
    this.#source = source;
    this.#now = now;
    this.#config = config;
    this.#succeededAt = now();
  }

  /** Undefined: the built-in configuration. */
  get file(): string | undefined {
    return this.#source.file;
  }

  get current(): AlertmanagerConfig {
    return this.#config;
  }

  /** As YAML, with defaults filled in and without secrets. */
  get printed(): string {
    return this.#config.printed;
  }

  /** Why the last reload was refused, undefined if it was not; and when one last succeeded (epoch milliseconds). */
  get reloadState(): { readonly refusal: string | undefined; readonly succeededAt: number } {
    return { refusal: this.#refusal, succeededAt: this.#succeededAt };
  }

  /** Reads the source. Changes nothing, except that an unreadable source counts as a failed reload. */
  read(): Outcome<AlertmanagerConfig> {
    const config = this.#source.read();
    if (!config.ok) this.refuse(config.reason);
    return config;
  }

  /** The reload has succeeded: this configuration is in force. */
  activate(config: AlertmanagerConfig): void {
    this.#config = config;
    this.#refusal = undefined;
    this.#succeededAt = this.#now();
  }

  /** The reload has failed; the configuration in force stays. */
  refuse(reason: string): void {
    this.#refusal = reason;
  }
}
