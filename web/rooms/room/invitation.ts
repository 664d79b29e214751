import type { WireInvitation } from '../../../src/rooms/contract/invite.ts';
import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import type { Api } from '../api.ts';
import { askToJoin } from '../shell/dialogs.ts';
import type { Ui } from '../shell/ui.ts';

/** The invitation of a code; works without signing in. */
export const readInvitation = (code: string, api: Api): Promise<WireInvitation> =>
  api.send('GET', `/api/invite/${encodeURIComponent(code)}`);

/** Shows the inviter and the room, and joins when the user agrees. */
export async function followInvite(code: string, { api, actions, model }: Ui): Promise<void> {
  try {
    const { room, inviter } = await readInvitation(code, api);
    askToJoin(room.name, inviter.name, async () => {
      const joined = await api.send<WireRoom>('POST', `/api/invite/${encodeURIComponent(code)}`);
      model.put(joined);
      actions.openRoom(joined.id);
    });
  } catch (error) {
    actions.fail(error);
  }
}
