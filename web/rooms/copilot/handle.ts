import type { RoomEntry } from '../room/entry.ts';

/** By what a copilot of that name is called in a text, without the `@`. */
export const handleOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** By what the copilot of a room is called; `undefined`: there is none that answers. */
export const copilotHandle = ({ room: { copilot } }: RoomEntry): string | undefined =>
  copilot?.enabled ? handleOf(copilot.name) : undefined;
