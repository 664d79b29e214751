import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { SdkKind } from '../credentials.ts';

/** The `platformCategory` label of LaunchDarkly's metrics. */
export const PLATFORM: Readonly<Record<SdkKind, 'server' | 'mobile' | 'browser'>> = {
  server: 'server',
  mobile: 'mobile',
  client: 'browser',
};

/** The `env` label of an environment: its name, or LaunchDarkly's names of project and environment if it is not configured here. */
export function environmentLabel({ name, labels, filter }: EnvironmentOptions): string {
  const full = labels ? `${labels.projName} ${labels.envName}`.trim() : '';
  if (full === '') return name;
  return filter === undefined ? full : `${full} (${filter})`;
}

const MAX_LABEL = 255;

/** Cleans a label as ld-relay does: no slashes, no control characters, never empty. */
export function cleanLabel(text: string): string {
  const clean = text
    .trim()
    .replace(/[/\p{C}]/gu, '_')
    .slice(0, MAX_LABEL);
  return clean === '' ? '_' : clean;
}

/** Replaces characters that Prometheus does not allow in a metric name. */
export function cleanPrefix(prefix: string): string {
  return prefix.replace(/[^\w:]/g, '_').replace(/^(?=\d)/, '_');
}

/** Replaces labels beyond the limit. */
const OTHER = 'other';

/** Labels chosen by clients: the first `max` values are kept, others become `other`. */
export class ClientLabels {
  readonly #max: number;
  readonly #known = new Map<string, string>();

  constructor(max: number) {
    this.#max = max;
  }

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#max) return OTHER;
    const label = cleanLabel(text);
    this.#known.set(text, label);
    return label;
  }
}
