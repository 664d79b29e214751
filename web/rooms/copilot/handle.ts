import type { RoomEntry } from '../room/entry.ts';

/** The mention of a copilot of that name, without the `@`. */
export const handleOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** The mention of a room's copilot, without the `@`; `undefined`: none is enabled. */
export const copilotHandle = ({ room: { copilot } }: RoomEntry): string | undefined =>
  copilot?.enabled ? handleOf(copilot.name) : undefined;
