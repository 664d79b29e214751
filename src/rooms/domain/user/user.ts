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
