import { findRoom, requireLive, requireModerator } from '../access.ts';
import { type Caller, rulesServer } from '../caller.ts';
import type { Change, ChangeView } from '../change.ts';
import { checkIfMatch, copilotEtag } from '../etag.ts';
import type { EventDraft } from '../event.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import type { Room } from '../room/room.ts';
import type { CopilotSettings, Secret } from './copilot.ts';
import { type CopilotContext, type CopilotRequest, type KeyChange, replaceCopilot } from './settings.ts';

/** Encrypts secrets. */
export interface SecretSealer {
  /** `secretKey`: the key of the secret's record. It can be decrypted only for that origin. */
  seal(secretKey: string, plain: string, origin: string): Secret;
}

export interface CopilotServices {
  readonly cipher: SecretSealer;
  readonly refuseUrl: CopilotContext['refuseUrl'];
}

/** The writes of a change to a room's copilot. */
export interface CopilotWrite {
  readonly copilot: CopilotSettings | null;
  readonly records: readonly RecordChange[];
  readonly events: readonly EventDraft[];
}

export const roomSecretKey = (roomId: string): string => `room/${roomId}`;

/** Sets a room's copilot, or removes it (`null`). An unchanged copilot writes nothing. */
export function decideCopilot(
  view: ChangeView,
  caller: Caller,
  room: Pick<Room, 'id' | 'copilot'>,
  request: CopilotRequest | null,
  context: CopilotServices,
): Outcome<CopilotWrite> {
  const current = room.copilot;
  if (request === null) {
    if (current === null) return accepted({ copilot: null, records: [], events: [] });
    const event = { type: 'copilot.updated', roomId: room.id, copilot: null } as const;
    return accepted({
      copilot: null,
      records: keyRecords(view, room.id, { kind: 'remove' }, context),
      events: [event],
    });
  }
  const replaced = replaceCopilot(current, request, {
    isAdmin: rulesServer(caller),
    userId: caller.user.id,
    now: view.now,
    provider: (name) => view.get('provider', name),
    refuseUrl: context.refuseUrl,
  });
  if (!replaced.ok) return replaced;
  const { settings, key } = replaced.value;
  const isSame = settings === current;
  return accepted({
    copilot: settings,
    records: keyRecords(view, room.id, key, context),
    events: isSame ? [] : [{ type: 'copilot.updated', roomId: room.id, copilot: settings }],
  });
}

function keyRecords(
  view: ChangeView,
  roomId: string,
  key: KeyChange,
  { cipher }: CopilotServices,
): readonly RecordChange[] {
  const secretKey = roomSecretKey(roomId);
  if (key.kind === 'set') return [record('secret', secretKey, cipher.seal(secretKey, key.plain, key.origin))];
  return key.kind === 'remove' && view.get('secret', secretKey) ? [record('secret', secretKey, null)] : [];
}

export interface CopilotPrecondition {
  readonly ifMatch?: string | undefined;
  /** `If-None-Match: *` */
  readonly createOnly?: boolean;
}

/** `PUT` and `DELETE /api/room/:id/copilot`. */
export function configureCopilot(
  caller: Caller,
  idOrSlug: string,
  request: CopilotRequest | null,
  { ifMatch, createOnly = false }: CopilotPrecondition,
  context: CopilotServices,
): Change<Room> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const access = found.value;
      const { room } = access;
      const etag = room.copilot ? copilotEtag(room.copilot.version) : undefined;
      const refusal = requireModerator(access) ?? requireLive(access) ?? checkIfMatch(ifMatch, etag);
      if (refusal) return refusal;
      if (createOnly && etag !== undefined)
        return refuse('version_mismatch', 'the room has a copilot already', { etag });
      const decided = decideCopilot(view, caller, room, request, context);
      if (!decided.ok) return decided;
      const { copilot, records, events } = decided.value;
      if (events.length === 0) return { ok: true, write: null, answer: () => room };
      const changed: Room = { ...room, copilot, version: room.version + 1, updatedAt: view.now };
      const action = copilot ? 'copilot.update' : 'copilot.remove';
      return {
        ok: true,
        write: {
          records: [record('room', room.id, changed), ...records],
          events: [...events, { type: 'room.updated', roomId: room.id, room: changed }],
          audit: [{ at: view.now, by: caller.user.id, action, roomId: room.id, subject: room.id }],
        },
        answer: () => changed,
      };
    },
  };
}
