import * as v from 'valibot';
import type { Invite } from '../domain/member/invite.ts';
import type { Room } from '../domain/room/room.ts';
import type { UserRef } from '../domain/user/user.ts';
import { printInstant } from './instant.ts';
import { instantSchema, intSchema } from './text.ts';

/** The body of `POST /api/room/:id/invite`. */
export const inviteRequestSchema = v.strictObject({
  role: v.optional(v.picklist(['admin', 'member', 'guest'])),
  maxUses: v.optional(v.nullable(intSchema(1, 1000))),
  expiresAt: v.optional(instantSchema),
});

/** An invite on the wire, for those who may make one. */
export function wireInvite({ createdAt, expiresAt, roomIds: _, tokenId: __, ...plain }: Invite): object {
  return { ...plain, expiresAt: printInstant(expiresAt), createdAt: printInstant(createdAt) };
}

/** What somebody who was given an invite sees before he takes it. */
export function wireInvitation({ code, role, expiresAt }: Invite, room: Room, inviter: UserRef): object {
  return {
    code,
    role,
    expiresAt: printInstant(expiresAt),
    room: { name: room.name, topic: room.topic },
    inviter: { id: inviter.id, name: inviter.name, kind: inviter.kind },
  };
}
