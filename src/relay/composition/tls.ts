import { readFileSync } from 'node:fs';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import { fileErrorOf } from '../../kernel/settings/settings.ts';
import type { RelayOptions } from '../config/relay-options.ts';

const CERTIFICATE = /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/;

/** Throws a CommandError if a file of authorities that are to be trusted has no certificate. */
export function checkAuthorities({ proxy }: Pick<RelayOptions, 'proxy'>): void {
  for (const file of proxy?.caCertFiles ?? []) checkAuthority(file, 'PROXY_CA_CERTS');
}

/** Throws a CommandError if a certificate or key for Redis cannot be used. */
export function checkStoreFiles({ store }: Pick<RelayOptions, 'store'>): void {
  if (store?.database !== 'redis') return;
  const { caFile, certFile, keyFile } = store.redis;
  if (caFile !== undefined) checkAuthority(caFile, 'REDIS_CA_FILE');
  if (certFile === undefined || keyFile === undefined) return;
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert: readPem(certFile), key: readPem(keyFile) });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = `${certFile} and ${keyFile} cannot be used as a certificate for Redis: ${messageOf(error)}`;
    throw new CommandError(reason, ExitCode.usage);
  }
}

function checkAuthority(file: string, variable: string): void {
  if (!CERTIFICATE.test(readPem(file)))
    throw new CommandError(`${file} (${variable}) has no certificate in PEM format`, ExitCode.usage);
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
  const checks = [
    async () => checkAuthorities(options),
    async () => checkStoreFiles(options),
    async () => options.tls && readTls(options.tls),
  ];
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
