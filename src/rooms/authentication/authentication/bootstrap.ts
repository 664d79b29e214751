import type { StateView } from '../../domain/change.ts';
import { record } from '../../domain/record.ts';
import { SCOPES, type Token } from '../../domain/token/token.ts';
import { checkToken } from '../../domain/user/change.ts';
import { makeUser } from '../../domain/user/new-user.ts';
import type { RoomWriter } from '../../room/writer.ts';
import { hashTokenSecret, makeTokenSecret, shownPrefix } from '../token-secret.ts';

const ADMIN_ID = 'admin';
/** Holds the hash of the token from the environment, so that another one replaces it. */
const SETTING = 'bootstrap-token';

/**
 * Ensures that an admin can sign in: with the given token, which replaces the one given before; or, where no token has
 * an admin's rights over the server (none exists, or only lesser ones of a time without sign-in), with a new one.
 * Returns the new token's secret, to be shown once.
 */
export async function bootstrapAdmin(
  state: StateView,
  writer: RoomWriter,
  given: string | undefined,
  now: number,
): Promise<string | undefined> {
  const secret = given ?? makeTokenSecret();
  const hash = hashTokenSecret(secret);
  const isDone = (view: StateView) =>
    given === undefined ? hasRuler(view, now) : view.get('token', hash) !== undefined;
  if (isDone(state)) return undefined;
  const made = await writer.submit<boolean>({
    decide(view) {
      // Another node was faster.
      if (isDone(view)) return { ok: true, write: null, answer: () => false };
      const before = view.get('setting', SETTING)?.value;
      const admin = view.get('user', ADMIN_ID) ?? makeUser(ADMIN_ID, view.now);
      const token: Token = {
        id: view.newId(),
        hash,
        name: given === undefined ? 'first start' : 'from the environment',
        userId: ADMIN_ID,
        scopes: SCOPES,
        roomIds: null,
        prefix: given === undefined ? shownPrefix(secret) : '',
        use: 'api',
        createdAt: view.now,
        expiresAt: null,
      };
      const records = [
        record('user', ADMIN_ID, { ...admin, role: 'admin', disabled: false }),
        record('token', hash, token),
        ...(before !== undefined && given !== undefined ? [record('token', before, null)] : []),
        ...(given === undefined ? [] : [record('setting', SETTING, { value: hash })]),
      ];
      return { ok: true, write: { records }, answer: () => true };
    },
  });
  return made.ok && made.value && given === undefined ? secret : undefined;
}

/** Whether a token gives an admin rights over the whole server. */
export function hasRuler(state: StateView, now: number): boolean {
  return [...state.each('token')].some((token) => {
    const user = checkToken(token, state.get('user', token.userId), now);
    return user.ok && user.value.role === 'admin' && token.roomIds === null && token.scopes.includes('admin');
  });
}
