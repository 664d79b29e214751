import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import type { UserRef } from '../../../src/rooms/domain/user/user.ts';

/** The name of a room for a reader: a direct one is named after all its people, of whom the reader is left out. */
export function roomName({ name, visibility }: Pick<WireRoom, 'name' | 'visibility'>, reader: UserRef): string {
  if (visibility !== 'direct') return name;
  const names = name.split(', ');
  const at = names.indexOf(reader.name);
  return at === -1 || names.length === 1 ? name : names.toSpliced(at, 1).join(', ');
}
