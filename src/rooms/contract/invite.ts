import * as v from 'valibot';
import type { Invite } from '../domain/member/invite.ts';
import type { Room } from '../domain/room/room.ts';
import type { UserRef } from '../domain/user/user.ts';
import { type Printed, printInstant } from './instant.ts';
import { instantSchema, intSchema } from './text.ts';

/** The body of `POST /api/room/:id/invite`. */
export const inviteRequestSchema = v.strictObject({
  role: v.optional(v.picklist(['admin', 'member', 'guest'])),
  maxUses: v.optional(v.nullable(intSchema(1, 1000))),
  expiresAt: v.optional(instantSchema),
});
export type InviteBody = v.InferInput<typeof inviteRequestSchema>;

/** An invite on the wire, for those who may make one. */
export type WireInvite = Omit<Printed<Invite, 'createdAt' | 'expiresAt'>, 'roomIds' | 'tokenId'>;

export function wireInvite({ createdAt, expiresAt, roomIds: _, tokenId: __, ...plain }: Invite): WireInvite {
  return { ...plain, expiresAt: printInstant(expiresAt), createdAt: printInstant(createdAt) };
}

/** An invite as its recipient sees it before taking it. */
export interface WireInvitation extends Pick<WireInvite, 'code' | 'role' | 'expiresAt'> {
  readonly room: Pick<Room, 'name' | 'topic'>;
  readonly inviter: UserRef;
}

export function wireInvitation({ code, role, expiresAt }: Invite, room: Room, inviter: UserRef): WireInvitation {
  return {
    code,
    role,
    expiresAt: printInstant(expiresAt),
    room: { name: room.name, topic: room.topic },
    inviter: { id: inviter.id, name: inviter.name, kind: inviter.kind },
  };
}
