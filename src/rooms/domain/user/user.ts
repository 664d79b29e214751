import { createHash } from 'node:crypto';

export const USER_KINDS = ['human', 'bot', 'copilot', 'bridge', 'system'] as const;
export type UserKind = (typeof USER_KINDS)[number];

/** An author, as named at that time. */
export interface UserRef {
  readonly id: string;
  readonly name: string;
  readonly kind: UserKind;
}

export interface User extends UserRef {
  /** `#rrggbb` */
  readonly avatarColor: string;
  readonly role: 'admin' | 'user';
  readonly disabled: boolean;
  readonly createdAt: number;
}

export const USER_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const refs = new WeakMap<UserRef, UserRef>();

/** One shared object per user, used in all messages of the author. */
export function refTo(user: UserRef): UserRef {
  let ref = refs.get(user);
  if (!ref) {
    const { id, name, kind } = user;
    ref = { id, name, kind };
    refs.set(user, ref);
  }
  return ref;
}

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
