export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Undefined if it is no header of HTTP basic authentication. Source: RFC 7617. */
export function readBasicAuth(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]*={0,2})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** A bcrypt hash with a cost of 4 to 31. */
export function isBcryptHash(text: string): boolean {
  return /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(text);
}

/** The bcrypt hash of each user's password. */
export type PasswordHashes = ReadonlyMap<string, string>;
