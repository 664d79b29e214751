import { AlertsClient } from '../alerts-client.ts';
import { AlertUsers } from '../commands/alert-users.ts';
import { CommandPosts } from '../commands/command-posts.ts';
import { LiveAlertLists } from '../commands/live-alert-lists.ts';
import { SlashCommands } from '../commands/slash-commands.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import type { Room } from '../domain/room/room.ts';
import { AlertCards } from '../hooks/alert-cards.ts';
import { IncomingHooks } from '../hooks/incoming-hooks.ts';
import { OutgoingHooks } from '../hooks/outgoing-hooks.ts';
import { HookRegistry } from '../hooks/registry.ts';
import type { Messages } from '../messages/messages.ts';
import { actionPaths } from '../routes/actions.ts';
import { hookPaths } from '../routes/hooks.ts';
import { type RoomsCore, random } from './core.ts';

/** The client of the alert server; `undefined` without `--alerts`. */
export function openAlerts({ options: { alertsUrl }, clock }: RoomsCore): AlertsClient | undefined {
  return alertsUrl === undefined ? undefined : new AlertsClient(alertsUrl, clock, process.env);
}

export interface IntegrationInputs {
  readonly messages: Messages;
  readonly alerts: AlertsClient | undefined;
  readonly runs: RunRequests;
  /** Where this server listens. */
  readonly url: () => string;
}

/** Hooks, alert cards and slash commands. */
export function composeIntegrations(core: RoomsCore, { messages, alerts, runs, url }: IntegrationInputs) {
  const { options, state, store, writer, guard, newId, clock, outbound, cipher, alertRooms } = core;
  const { baseUrl, requireIfMatch } = options;
  const permalink = ({ slug }: Room, id: string) => `${(baseUrl ?? url()).replace(/\/+$/, '')}/r/${slug}/m/${id}`;
  const cards = new AlertCards({ messages, state, store, writer, clock, newId });
  const posts = new CommandPosts(messages);
  const alertUsers = new AlertUsers({ alerts, state, alertRooms, clock });
  const lists = new LiveAlertLists({ users: alertUsers, messages, clock });
  const commands = new SlashCommands({ state, store, posts, cards, alertUsers, lists, runs, clock, newId, permalink });
  const outgoing = new OutgoingHooks({ ...core, messages, guard: outbound, random });
  const registry = new HookRegistry({ state, writer, outgoing, guard: outbound, cipher, newId });
  outgoing.start();
  return {
    commands,
    paths: [
      hookPaths({ guard, registry, incoming: new IncomingHooks(messages, cards), requireIfMatch }),
      actionPaths({ guard, messages, commands }),
    ],
    async close() {
      commands.close();
      cards.close();
      await outgoing.close();
    },
  };
}
