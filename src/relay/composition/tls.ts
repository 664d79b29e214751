import { readFileSync } from 'node:fs';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import { fileErrorOf } from '../../kernel/settings/settings.ts';
import type { RelayOptions } from '../config/relay-options.ts';

const CERTIFICATE = /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/;

/** Throws a CommandError if a file of authorities that are to be trusted has no certificate. */
export function checkAuthorities({ proxy }: Pick<RelayOptions, 'proxy'>): void {
  for (const file of proxy?.caCertFiles ?? [])
    if (!CERTIFICATE.test(readPem(file)))
      throw new CommandError(`${file} (PROXY_CA_CERTS) has no certificate in PEM format`, ExitCode.usage);
}

/** Reads certificate and key. Throws a CommandError if they cannot be used. */
export async function readTls({
  certFile,
  keyFile,
  minVersion,
}: NonNullable<RelayOptions['tls']>): Promise<TlsSettings> {
  const settings: TlsSettings = {
    cert: readPem(certFile),
    key: readPem(keyFile),
    clientCertificates: 'none',
    minVersion: minVersion ?? 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    prefersOwnCiphers: true,
  };
  const { checkTls } = await import('../../kernel/http/tls-front.ts');
  try {
    checkTls(settings);
  } catch (error) {
    throw new CommandError(`${certFile} and ${keyFile} cannot be used for TLS: ${messageOf(error)}`, ExitCode.usage);
  }
  return settings;
}

/** What is wrong with the files of certificates, for a check. */
export async function certificateProblems(options: RelayOptions): Promise<readonly string[]> {
  const checks = [async () => checkAuthorities(options), async () => options.tls && readTls(options.tls)];
  const results = await Promise.allSettled(checks.map((check) => check()));
  return results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []));
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${fileErrorOf(error)}`, ExitCode.usage);
  }
}
