export const SCOPES = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'admin', 'export'] as const;
export type Scope = (typeof SCOPES)[number];

/** What somebody may show to be let in. Its secret is kept only as a hash, which is also its key among the records. */
export interface Token {
  readonly id: string;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly name: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** The only rooms it reaches; `null` is all of its user's. */
  readonly roomIds: readonly string[] | null;
  /** The first characters of the secret, by which a person knows it again. */
  readonly prefix: string;
  /** `session`: made by the page's sign-in, and shown as a cookie. */
  readonly use: 'api' | 'session';
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The token by which it was made. A session ends with it, others when it is revoked with its children. */
  readonly parentId?: string;
}

/** What a token is good for unless it is said: all but ruling the server. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');
