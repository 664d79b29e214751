import { readFileSync } from 'node:fs';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { RelayOptions } from '../config/relay-options.ts';

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

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
}
