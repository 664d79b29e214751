import type { ExplanationParts } from './explanation.ts';
import { listFailingIntegrations, printFailing } from './integration-health.ts';

/** What the server cannot do, which notifications fail, and which watchdogs are missing. */
export function listConditions(parts: ExplanationParts): readonly string[] {
  const { conditions, watchdogs, silencer } = parts.state;
  silencer.settle(parts.now);
  const missing = watchdogs.missing(parts.now, (labels) => silencer.matching(labels).length > 0);
  return [...conditions.list(), ...listFailingIntegrations(parts).map(printFailing), ...missing];
}
