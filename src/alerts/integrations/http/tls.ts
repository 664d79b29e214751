import { messageOf } from '../../../kernel/errors.ts';
import { HttpClientError } from '../../../kernel/http-client/failure.ts';
import type { TlsOptions } from '../../../kernel/http-client/tls.ts';
import { readRegularFile } from '../../../kernel/storage/regular-file.ts';
import type { TlsConfig } from '../../config/http-config.ts';

const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

/** Reads certificates and keys; files at each call. Rejects with an HttpClientError that names the file. */
export async function readTls(config: TlsConfig | undefined): Promise<TlsOptions> {
  if (!config) return {};
  const ca = await readPart('CA cert', config.ca, config.caFile);
  const cert = await readPart('client cert', config.cert, config.certFile);
  const key = await readPart('client key', config.key, config.keyFile);
  // A text without a certificate would mean the well-known authorities, or no client certificate.
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new HttpClientError(`unable to use specified CA cert${inFile(config.caFile)}: it holds no certificate`);
  if (cert !== undefined && !cert.includes('-----BEGIN CERTIFICATE-----'))
    throw new HttpClientError(`unable to use specified client cert${inFile(config.certFile)}: it holds no certificate`);
  if (key === '') throw new HttpClientError(`unable to use specified client key${inFile(config.keyFile)}: it is empty`);
  return {
    rejectUnauthorized: !config.insecureSkipVerify,
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(config.serverName ? { servername: config.serverName } : {}),
    ...(config.minVersion ? { minVersion: VERSIONS[config.minVersion] } : {}),
    ...(config.maxVersion ? { maxVersion: VERSIONS[config.maxVersion] } : {}),
  };
}

function inFile(path: string | undefined): string {
  return path ? ` file ${path}` : '';
}

async function readPart(what: string, inline: string | undefined, file: string | undefined) {
  if (inline) return inline;
  if (!file) return undefined;
  try {
    return await readRegularFile(file);
  } catch (error) {
    throw new HttpClientError(`unable to read ${what}: ${messageOf(error)}`);
  }
}
