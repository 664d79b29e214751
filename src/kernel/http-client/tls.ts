import { readFile } from 'node:fs/promises';
import type { SecureVersion } from 'node:tls';
import { messageOf, systemCodeOf } from '../errors.ts';
import { HttpClientError } from './failure.ts';

/** As node:tls names them. */
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
  const read = async (file: string) => {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new HttpClientError(`cannot read the certificates in ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  };
  // Authorities that are named to Node replace its own, so that these are named too. node:tls takes 3 MB: most servers need none.
  const { rootCertificates } = process.getBuiltinModule('node:tls');
  return { ca: [...rootCertificates, ...(await Promise.all(files.map(read)))] };
}
