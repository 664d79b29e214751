import { LOG_LEVELS, type Log, type LogFields } from '../kernel/log.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';

/** A log with the environment's name in each line, filtered by the environment's level. */
export function environmentLog(log: Log, { name, logLevel }: Pick<EnvironmentOptions, 'name' | 'logLevel'>): Log {
  const lowest = logLevel === 'none' ? LOG_LEVELS.length : LOG_LEVELS.indexOf(logLevel ?? 'debug');
  const at =
    (level: (typeof LOG_LEVELS)[number]) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) >= lowest) log[level](message, { env: name, ...fields });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    debugging: log.debugging && lowest === 0,
  };
}
