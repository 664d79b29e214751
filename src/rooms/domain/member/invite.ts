import type { Role } from './member.ts';

export interface Invite {
  readonly code: string;
  readonly roomId: string;
  readonly role: Role;
  /** `null`: as often as anybody likes. */
  readonly maxUses: number | null;
  readonly uses: number;
  readonly expiresAt: number;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The only rooms that the token reaches by which it was made, and so those whom it makes users. */
  readonly roomIds?: readonly string[];
  /** That token, or what it began with. */
  readonly tokenId?: string;
}
