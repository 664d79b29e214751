export const SCOPES = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'admin', 'export'] as const;
export type Scope = (typeof SCOPES)[number];

/** A credential. Only the hash of its secret is stored, which is also its record's key. */
export interface Token {
  readonly id: string;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly name: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** The only rooms that it reaches; `null` is all of its user's. */
  readonly roomIds: readonly string[] | null;
  /** The first characters of the secret, for recognition. */
  readonly prefix: string;
  /** `session`: created by signing in on the page, sent as a cookie. */
  readonly use: 'api' | 'session';
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The token that created it. A session ends with it; other tokens end if it is revoked with its children. */
  readonly parentId?: string;
}

/** The default scopes: all but those of an admin. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');
