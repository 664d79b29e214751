import { AlertsClient } from '../alerts-client.ts';
import type { Room } from '../domain/room.ts';
import { AlertCards } from '../hooks/alert-cards.ts';
import { HookBook } from '../hooks/hook-book.ts';
import { IncomingHooks } from '../hooks/incoming-hooks.ts';
import { OutgoingHooks } from '../hooks/outgoing-hooks.ts';
import type { Messages } from '../messages/messages.ts';
import { actionPaths } from '../routes/actions.ts';
import { hookPaths } from '../routes/hooks.ts';
import { SlashCommands } from '../slash-commands.ts';
import { type RoomsCore, random } from './core.ts';

/** What posts for others, what tells others, and what asks the alert server; `url` is where this server listens. */
export function composeBridges(core: RoomsCore, messages: Messages, url: () => string) {
  const { options, state, store, writer, guard, newId, clock, outbound, vault } = core;
  const { alertsUrl, baseUrl, requireIfMatch } = options;
  const alerts = alertsUrl === undefined ? undefined : new AlertsClient(alertsUrl, clock, process.env);
  const permalink = ({ slug }: Room, id: string) => `${(baseUrl ?? url()).replace(/\/+$/, '')}/r/${slug}/m/${id}`;
  const cards = new AlertCards({ messages, state, store, writer, clock });
  const commands = new SlashCommands({ state, store, messages, cards, alerts, clock, newId, permalink });
  const outgoing = new OutgoingHooks({ ...core, messages, guard: outbound, random });
  const book = new HookBook({ state, writer, outgoing, guard: outbound, vault, newId });
  outgoing.start();
  return {
    alerts,
    commands,
    paths: [
      hookPaths({ guard, book, incoming: new IncomingHooks(messages, cards), requireIfMatch }),
      actionPaths({ guard, messages, commands }),
    ],
    async close() {
      commands.close();
      cards.close();
      await outgoing.close();
      await alerts?.close();
    },
  };
}
