import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The header `webhook-signature` of a delivery: `v1,` and the HMAC-SHA256, in base64, of id, time (Unix seconds) and
 * body, joined by dots. Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(secret: string, id: string, timestampS: number, body: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}

/** A signing secret of 24 to 64 random bytes, in its printed form. */
export const printSigningSecret = (bytes: Uint8Array): string => PREFIX + Buffer.from(bytes).toString('base64');
