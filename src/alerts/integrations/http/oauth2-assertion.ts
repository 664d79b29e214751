import { createSign, randomUUID } from 'node:crypto';
import { HttpClientError } from '../../../kernel/http-client/failure.ts';
import type { OAuth2Config } from './oauth2.ts';

const LIFETIME_S = 600;

const HASHES = { RS256: 'RSA-SHA256', RS384: 'RSA-SHA384', RS512: 'RSA-SHA512' } as const;

/**
 * A signed client assertion (RFC 7523, section 2.1), valid for ten minutes from `now`, epoch milliseconds. `key` is a
 * private RSA key as PEM. Throws an HttpClientError without any part of the key.
 */
export function signAssertion(config: OAuth2Config, key: string, now: number): string {
  const algorithm = config.signatureAlgorithm ?? 'RS256';
  const issuedAt = Math.floor(now / 1000);
  const scope = config.scopes.join(' ');
  const header = {
    alg: algorithm,
    ...(config.clientCertificateKeyId ? { kid: config.clientCertificateKeyId } : {}),
    typ: 'JWT',
  };
  const claims = {
    aud: config.audience || config.tokenUrl,
    exp: issuedAt + LIFETIME_S,
    iat: issuedAt,
    iss: config.iss || config.clientId,
    jti: randomUUID(),
    sub: config.clientId,
    ...(scope ? { scope } : {}),
    ...config.claims,
  };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${signed}.${createSign(HASHES[algorithm]).update(signed).sign(key, 'base64url')}`;
  } catch {
    throw new HttpClientError('oauth2: the client certificate key is not a private RSA key in PEM form');
  }
}
