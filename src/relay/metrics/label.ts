import type { SdkKind } from '../credentials.ts';

/** A kind of SDK in the words of LaunchDarkly's metrics. */
export const PLATFORM: Readonly<Record<SdkKind, 'server' | 'mobile' | 'browser'>> = {
  server: 'server',
  mobile: 'mobile',
  client: 'browser',
};

const MAX_LABEL = 255;

/** A label as ld-relay writes it: no slash, nothing that cannot be printed, never empty. */
export function cleanLabel(text: string): string {
  const clean = text
    .trim()
    .replace(/[/\p{C}]/gu, '_')
    .slice(0, MAX_LABEL);
  return clean === '' ? '_' : clean;
}

/** The beginning of every metric's name, with whatever Prometheus would not take replaced. */
export function cleanPrefix(prefix: string): string {
  return prefix.replace(/[^\w:]/g, '_').replace(/^(?=\d)/, '_');
}

/** What stands for all that came too late to be told apart. */
const OTHER = 'other';

/** Labels that clients choose: so many are told apart, in the order in which they come. */
export class ClientLabels {
  readonly #most: number;
  readonly #known = new Map<string, string>();

  constructor(most: number) {
    this.#most = most;
  }

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#most) return OTHER;
    const label = cleanLabel(text);
    this.#known.set(text, label);
    return label;
  }
}
