import { findRoom, requireLive, requireModerator } from '../access.ts';
import { type Caller, requireUser } from '../caller.ts';
import type { Change, StateView } from '../change.ts';
import { record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { auditOf } from '../room/change.ts';
import type { Room } from '../room/room.ts';
import { earlierOf, parentIdOf, requireShown, rightEndsAt } from '../token/lineage.ts';
import { entryOf } from './change.ts';
import type { Invite } from './invite.ts';
import { memberKey, type Role } from './member.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_LIFE_MS = 7 * DAY_MS;
const MAX_LIFE_MS = 30 * DAY_MS;
/** Open invites of one room. */
const MAX_INVITES = 100;

export interface InviteRequest {
  readonly role?: Exclude<Role, 'owner'> | undefined;
  readonly maxUses?: number | null | undefined;
  readonly expiresAt?: number | undefined;
}

/** `code`: 22 random characters of base62. */
export function createInvite(caller: Caller, idOrSlug: string, request: InviteRequest, code: string): Change<Invite> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const access = found.value;
      const { room } = access;
      const refusal = requireShown(view, caller) ?? requireModerator(access) ?? requireLive(access);
      if (refusal) return refusal;
      if (room.visibility === 'direct') return refuse('forbidden', 'nobody can be invited into a direct room');
      const { role = 'member', maxUses = null, expiresAt = view.now + DEFAULT_LIFE_MS } = request;
      if (role === 'admin' && !access.isOwner) return refuse('forbidden', 'only an owner may invite admins');
      if (expiresAt <= view.now || expiresAt > view.now + MAX_LIFE_MS)
        return refuse('invalid_body', 'expiresAt: must be within the next 30 days', { path: 'expiresAt' });
      const ofRoom = [...view.each('invite')].filter(({ roomId }) => roomId === room.id);
      const over = ofRoom.filter((one) => !isOpen(one, view.now));
      if (ofRoom.length - over.length >= MAX_INVITES)
        return refuse('limit_reached', `the room has ${MAX_INVITES} open invites: revoke some`);
      const createdBy = caller.user.id;
      const tokenId = parentIdOf(view, caller);
      const invite: Invite = {
        code,
        roomId: room.id,
        role,
        maxUses,
        uses: 0,
        expiresAt: earlierOf(expiresAt, rightEndsAt(view, caller)) ?? expiresAt,
        createdBy,
        createdAt: view.now,
        ...(caller.roomIds ? { roomIds: [...caller.roomIds] } : {}),
        ...(tokenId === undefined ? {} : { tokenId }),
      };
      return {
        ok: true,
        write: {
          records: [record('invite', code, invite), ...over.map((one) => record('invite', one.code, null))],
          // The code grants access, so the audit log does not hold it.
          audit: [auditOf(view, caller, 'invite.create', room.id)],
        },
        answer: () => invite,
      };
    },
  };
}

export interface Invitation {
  readonly invite: Invite;
  readonly room: Room;
}

/** The open invite of a code. */
export function findInvite(view: StateView, code: string, now: number): Outcome<Invitation> {
  const invite = view.get('invite', code);
  const room = invite && view.get('room', invite.roomId);
  if (!invite || !room || room.deletedAt !== null || !isOpen(invite, now)) return noSuchInvite();
  return accepted({ invite, room });
}

export const isOpen = ({ expiresAt, maxUses, uses }: Invite, now: number): boolean =>
  expiresAt > now && (maxUses === null || uses < maxUses);

const noSuchInvite = (): Refusal =>
  refuse('invite_not_found', 'there is no such invite, or it has expired or been used up; ask for a new one');

/** Accepts an invite. A member stays as it is, and uses nothing up. */
export function acceptInvite(caller: Caller, code: string): Change<Room> {
  return {
    decide(view) {
      const held = view.get('invite', code);
      const room = held && view.get('room', held.roomId);
      if (!held || !room || room.deletedAt !== null || !reaches(caller, room)) return noSuchInvite();
      const refusal = requireUser(caller);
      if (refusal) return refusal;
      if (view.get('member', memberKey(room.id, caller.user.id))) return { ok: true, write: null, answer: () => room };
      if (!isOpen(held, view.now)) return noSuchInvite();
      if (room.archived) return refuse('archived', `the room ${room.slug} is archived`);
      if (view.get('ban', memberKey(room.id, caller.user.id)))
        return refuse('forbidden', 'you were banned from this room');
      const entry = entryOf(view, room, caller.user.id, held.role, held.createdBy);
      const used = record('invite', code, { ...held, uses: held.uses + 1 });
      return { ok: true, write: { ...entry, records: [...(entry.records ?? []), used] }, answer: () => room };
    },
  };
}

const reaches = ({ roomIds }: Caller, room: Room): boolean => roomIds === null || roomIds.has(room.id);

/** Revokes an invite; only moderators of its room can see it. */
export function revokeInvite(caller: Caller, code: string): Change<null> {
  return {
    decide(view) {
      const invite = view.get('invite', code);
      const found = invite && findRoom(view, caller, invite.roomId);
      if (!invite || !found?.ok || !found.value.isModerator) return noSuchInvite();
      const { room } = found.value;
      return {
        ok: true,
        write: { records: [record('invite', code, null)], audit: [auditOf(view, caller, 'invite.revoke', room.id)] },
        answer: () => null,
      };
    },
  };
}
