import type { Alert } from '../../../src/alerts/contract/wire.ts';
import { toneOf } from '../alert/severity.ts';

/** Finds the critical alerts that became active since the last look. */
export class NewCriticals {
  /** Undefined before the first look, whose alerts are not new. */
  #seen: ReadonlySet<string> | undefined;

  look(alerts: Iterable<Alert>): readonly Alert[] {
    const critical = [...alerts].filter(isCritical);
    const seen = this.#seen;
    this.#seen = new Set(critical.map(({ fingerprint }) => fingerprint));
    return seen ? critical.filter(({ fingerprint }) => !seen.has(fingerprint)) : [];
  }
}

function isCritical({ status, labels }: Alert): boolean {
  return status.state === 'active' && toneOf(labels.severity) === 'critical';
}
