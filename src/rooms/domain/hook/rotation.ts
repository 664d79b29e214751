import type { Secret } from '../copilot/copilot.ts';

/** How long deliveries are also signed with the secret before a rotation. */
const GRACE_MS = 24 * 3_600_000;

/** A new signing secret, which keeps the one before it for a day. A second rotation ends the first secret at once. */
export function rotated(next: Secret, before: Secret | undefined, now: number): Secret {
  if (!before) return next;
  const { sealed, origin } = before;
  return { ...next, previous: { sealed, origin, until: now + GRACE_MS } };
}

/** The secrets that sign a delivery now, the current one first. */
export const signingSecrets = (secret: Secret, now: number): readonly Secret[] =>
  secret.previous && now < secret.previous.until ? [secret, secret.previous] : [secret];
