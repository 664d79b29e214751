import type { Condition } from '../../kernel/conditions.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import type { ExplanationParts } from './explanation.ts';
import { failingCondition, listFailingIntegrations } from './integration-health.ts';

/** What the server cannot do, which watchdogs are missing, and which notifications fail. */
export function listConditions(parts: ExplanationParts): readonly Condition[] {
  return [...listFaults(parts), ...listFailingIntegrations(parts).map(failingCondition)];
}

/** All but the notifications that fail. */
export function listFaults(parts: ExplanationParts): readonly Condition[] {
  const { conditions, watchdogs, silencer } = parts.state;
  silencer.settle(parts.now);
  const missing = watchdogs.missing(parts.now, (labels) => silencer.matching(labels).length > 0);
  return [...conditions.list(), ...missing];
}

/** Any condition means `failing`: notifications may not arrive. */
export const stateOf = (parts: ExplanationParts): ServerState =>
  listConditions(parts).length > 0 ? 'failing' : 'ready';
