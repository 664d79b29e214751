import { createHash } from 'node:crypto';
import type { User } from './user.ts';

/** A user with default fields. */
export function makeUser(id: string, now: number, given: Partial<User> = {}): User {
  const plain: User = {
    id,
    name: id,
    kind: 'human',
    avatarColor: colorOf(id),
    role: 'user',
    disabled: false,
    createdAt: now,
  };
  return { ...plain, ...given };
}

/** The same colour for the same id, everywhere. */
export function colorOf(id: string): string {
  const hue = createHash('sha256').update(id).digest().readUInt16BE(0) / 65_536;
  const channel = (n: number) => {
    const k = (n + hue * 12) % 12;
    const level = 0.5 - 0.25 * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(level * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
