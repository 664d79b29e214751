import type { SecureVersion } from 'node:tls';
import { messageOf, systemCodeOf } from '../errors.ts';
import { HttpClientError } from './failure.ts';

/** The names of node:tls. */
export interface TlsOptions {
  readonly rejectUnauthorized?: boolean;
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
}

/** Trusts the authorities in these PEM files beside the usual ones. */
export async function trusting(files: readonly string[]): Promise<TlsOptions> {
  const { readFile } = await import('node:fs/promises');
  const read = async (file: string) => {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new HttpClientError(`cannot read the certificates in ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  };
  // Authorities that are passed to Node replace its own, so those are passed too. node:tls takes 3 MB, which most servers do
  // not need.
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return { ca: [...rootCertificates, ...(await Promise.all(files.map(read)))] };
}
