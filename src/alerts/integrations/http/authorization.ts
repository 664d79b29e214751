import { messageOf } from '../../../kernel/errors.ts';
import { basicToken } from '../../../kernel/http-client/connections.ts';
import { HttpClientError } from '../../../kernel/http-client/failure.ts';
import type { HttpConfig } from '../../config/http-config.ts';

export type ReadSecret = (path: string) => Promise<string>;

/** The `authorization` header of a configuration without oauth2; files are read anew. Rejects with an HttpClientError. */
export async function readAuthorization(config: HttpConfig, readSecret: ReadSecret): Promise<string | undefined> {
  const { basicAuth, authorization, bearerToken, bearerTokenFile } = config;
  if (basicAuth) {
    const { username, usernameFile, password, passwordFile } = basicAuth;
    return basicToken(
      await readText('basic auth username', username, usernameFile, readSecret),
      await readText('basic auth password', password, passwordFile, readSecret),
    );
  }
  if (authorization) {
    const { type, credentials, credentialsFile } = authorization;
    return `${type} ${await readText('authorization credentials', credentials, credentialsFile, readSecret)}`;
  }
  if (!bearerToken && !bearerTokenFile) return undefined;
  return `Bearer ${await readText('authorization credentials', bearerToken, bearerTokenFile, readSecret)}`;
}

/** A text of the configuration or of a file. */
export async function readText(
  what: string,
  inline: string | undefined,
  file: string | undefined,
  readSecret: ReadSecret,
): Promise<string> {
  if (inline || !file) return inline ?? '';
  try {
    return await readSecret(file);
  } catch (error) {
    throw new HttpClientError(`unable to read ${what}: ${messageOf(error)}`);
  }
}

/** Configured headers; each may have several values. */
export async function readHeaders(
  headers: NonNullable<HttpConfig['httpHeaders']>,
  readSecret: ReadSecret,
): Promise<readonly (readonly [name: string, value: string])[]> {
  const pairs: (readonly [string, string])[] = [];
  for (const [name, { values, secrets, files }] of Object.entries(headers)) {
    for (const value of [...values, ...secrets]) pairs.push([name, value]);
    for (const file of files) pairs.push([name, await readText('headers file', undefined, file, readSecret)]);
  }
  return pairs;
}
