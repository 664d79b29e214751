import type { WireOpenedRoom, WireRooms } from './room.ts';
import type { WireUser } from './user.ts';

/** The user of a page. */
export interface Account extends WireUser {
  /** Whether the user may administer the server. */
  readonly admin: boolean;
}

/** The data inside the page of a user. */
export interface Boot extends WireRooms {
  readonly auth: 'none' | 'token';
  readonly user: Account;
  /** Where a stream of what follows begins. */
  readonly cursor: string;
  /** The room of the address, an id or slug. */
  readonly asked: string | null;
  /** The message of the address. */
  readonly focus: string | null;
  readonly room: WireOpenedRoom | null;
}

/** The data inside the page before signing in. */
export interface SignInBoot extends Pick<Boot, 'auth'> {
  readonly user: null;
}
