import { stringify } from 'yaml';
import { formatDuration } from '../../kernel/duration.ts';
import type { AlertmanagerConfig } from './alertmanager-config.ts';

/** The configuration in force as YAML, with the defaults filled in. It loads again, here and in Alertmanager. */
export function printConfig({ resolveTimeoutMs, route, receivers }: AlertmanagerConfig): string {
  return stringify({
    global: { resolve_timeout: formatDuration(resolveTimeoutMs) },
    route: {
      receiver: route.receiver,
      ...(route.groupBy ? { group_by: route.groupBy } : {}),
      continue: false,
      group_wait: formatDuration(route.groupWaitMs),
      group_interval: formatDuration(route.groupIntervalMs),
      repeat_interval: formatDuration(route.repeatIntervalMs),
    },
    receivers: receivers.map((name) => ({ name })),
  });
}
