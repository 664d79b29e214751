import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import type { Api } from '../api.ts';
import { askToJoin } from '../shell/dialogs.ts';
import type { Ui } from '../shell/ui.ts';

interface Invitation {
  readonly room: { readonly name: string };
  readonly inviter: { readonly name: string };
}

/** What a code opens; also for those who are not signed in. */
export const readInvitation = (code: string, api: Api): Promise<Invitation> =>
  api.send('GET', `/api/invite/${encodeURIComponent(code)}`);

/** Shows who invites where; joins only when that is wished. */
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
