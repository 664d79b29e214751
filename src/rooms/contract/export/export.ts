// The lines of an export: a header; each room, followed by its members and its messages by sequence number; and the end,
// whose checksum is over all bytes before it. A message may come again after a later one: then it was changed while the
// export was written, and the later line counts. Keys, and what only one user sees, are never in it. On request an
// attachment's bytes precede its first message: a line with its facts, and one for each piece, in base64.
import type { CopilotSettings } from '../../domain/copilot/copilot.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { Ban, Member } from '../../domain/member/member.ts';
import type { Room } from '../../domain/room/room.ts';
import type { User } from '../../domain/user/user.ts';
import { printInstant } from '../instant.ts';
import { wireMember } from '../member.ts';
import { type RoomFacts, wireRoom } from '../room.ts';

export const EXPORT_NAME = 'opsdeck-rooms';
/** 2: with files. */
export const EXPORT_VERSIONS = [1, 2] as const;

export interface ExportHeader {
  readonly epoch: string;
  readonly pos: number;
  readonly exportedAt: number;
  readonly withFiles: boolean;
}

export function printHeader({ epoch, pos, exportedAt, withFiles }: ExportHeader): string {
  const formatVersion = EXPORT_VERSIONS[withFiles ? 1 : 0];
  return line({ kind: 'header', format: EXPORT_NAME, formatVersion, epoch, pos, exportedAt: printInstant(exportedAt) });
}

export function printRoomLine(room: Room, facts: RoomFacts, bans: readonly Ban[]): string {
  const wire = wireRoom({ ...room, copilot: null }, facts);
  const copilot = room.copilot && keyless(room.copilot);
  return line({ kind: 'room', room: { ...wire, copilot, bans: bans.map(printBan) } });
}

const printBan = ({ userId, by, at }: Ban): object => ({ userId, by, at: printInstant(at) });

function keyless({ apiKeyInfo: _, updatedAt, ...settings }: CopilotSettings): object {
  return { ...settings, updatedAt: printInstant(updatedAt) };
}

export function printMemberLine(member: Member, { id, name, kind, avatarColor }: User): string {
  return line({
    kind: 'member',
    roomId: member.roomId,
    member: wireMember(member, { id, name, kind }),
    user: { id, name, kind, avatarColor },
  });
}

/** `json`: the message as it is on the wire. */
export const printMessageLine = (json: string): string => `{"kind":"message","message":${json}}\n`;

export const printFileLine = (file: FileRef): string =>
  line({ kind: 'file', file: { ...file, createdAt: printInstant(file.createdAt) } });

export const printPieceLine = (bytes: Buffer): string => `{"kind":"piece","data":"${bytes.toString('base64')}"}\n`;

export interface ExportEnd {
  /** The position of the log up to which the export is complete. */
  readonly pos: number;
  readonly messages: number;
  /** Of all bytes before this line, in hex. */
  readonly sha256: string;
}

export const printEnd = (end: ExportEnd): string => line({ kind: 'end', ...end });

const line = (value: object): string => `${JSON.stringify(value)}\n`;
