import type { Clock } from '../../../kernel/clock.ts';
import type { Log, LogFields, LogLevel } from '../../../kernel/log.ts';
import type { EnvironmentOptions } from '../../config/relay-options.ts';
import type { DataSink } from '../../data-source.ts';
import { FlagStore } from '../../flag-store.ts';
import { ConnectionStatus } from '../../status/connection-status.ts';

/** An SDK key in LaunchDarkly's form. */
export const SAMPLE_SDK_KEY = 'sdk-1234abcd-0000-0000-0000-00001a2b3c4d';

/** An environment with only name and SDK key by default. */
export function plainEnvironment(options: Partial<EnvironmentOptions> = {}): EnvironmentOptions {
  return {
    name: 'Production',
    sdkKey: SAMPLE_SDK_KEY,
    mobileKey: undefined,
    envId: undefined,
    secureMode: false,
    allowedOrigins: [],
    allowedHeaders: [],
    ttlMs: 0,
    logLevel: undefined,
    projKey: undefined,
    filter: undefined,
    dataFile: undefined,
    storePrefix: undefined,
    storeTable: undefined,
    ...options,
  };
}

export function emptySink(clock: Clock): DataSink {
  return { store: new FlagStore(), connection: new ConnectionStatus(clock.now()) };
}

export interface LoggedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines. */
export class RecordingLog implements Log {
  readonly debugging = true;
  readonly lines: LoggedLine[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  /** All lines as one text, to search for secrets. */
  get text(): string {
    return JSON.stringify(this.lines);
  }
}
