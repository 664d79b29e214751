import { type Caller, roomPart } from '../caller.ts';
import { hookAuthorId } from '../message/reserved-message.ts';
import { colorOf, makeUser } from '../user/new-user.ts';

/** The caller that posts for a hook: into one room, under the hook's name. */
export function hookCaller({ id, name }: { readonly id: string; readonly name: string }, roomId: string): Caller {
  const user = makeUser(hookAuthorId(id), 0, { name, kind: 'bridge', avatarColor: colorOf(id) });
  return roomPart('hook', user, roomId);
}
