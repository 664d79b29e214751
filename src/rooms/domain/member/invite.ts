import type { Role } from './member.ts';

export interface Invite {
  readonly code: string;
  readonly roomId: string;
  readonly role: Role;
  /** `null`: unlimited. */
  readonly maxUses: number | null;
  readonly uses: number;
  readonly expiresAt: number;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The rooms that the creating token is bound to, and so the users created by the invite. */
  readonly roomIds?: readonly string[];
  /** That token; of a session, the session's parent. */
  readonly tokenId?: string;
}
