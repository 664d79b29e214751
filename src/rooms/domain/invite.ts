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
}
