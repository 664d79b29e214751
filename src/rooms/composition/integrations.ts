import { AlertsClient } from '../alerts-client.ts';
import { AlertUsers } from '../commands/alert-users.ts';
import { CommandPosts } from '../commands/command-posts.ts';
import { LiveAlertLists } from '../commands/live-alert-lists.ts';
import { Reminders } from '../commands/remind/reminders.ts';
import { SlashCommands } from '../commands/slash-commands.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import { DashboardClient } from '../dashboard-client.ts';
import type { Room } from '../domain/room/room.ts';
import type { FileStore } from '../files/file-store.ts';
import { AlertCards } from '../hooks/alert-cards.ts';
import { CardSilences } from '../hooks/card-silences.ts';
import { IncomingHooks } from '../hooks/incoming-hooks.ts';
import { OutgoingHooks } from '../hooks/outgoing-hooks.ts';
import { HookRegistry } from '../hooks/registry.ts';
import type { Messages } from '../messages/messages.ts';
import { RelayClient } from '../relay-client.ts';
import { actionPaths } from '../routes/actions.ts';
import { hookPaths } from '../routes/hooks.ts';
import { type RoomsCore, random } from './core.ts';

/** The client of the alert server; `undefined` without `--alerts`. */
export function openAlerts({ options: { alertsUrl }, clock }: RoomsCore): AlertsClient | undefined {
  return alertsUrl === undefined ? undefined : new AlertsClient(alertsUrl, clock, process.env);
}

function openRelay({ options: { relayUrl, relayKey }, clock }: RoomsCore): RelayClient | undefined {
  if (relayUrl === undefined || relayKey === undefined) return undefined;
  return new RelayClient(relayUrl, relayKey, clock, process.env);
}

function openDashboard({ options: { dashboardUrl }, clock }: RoomsCore): DashboardClient | undefined {
  return dashboardUrl === undefined ? undefined : new DashboardClient(dashboardUrl, clock, process.env);
}

export interface IntegrationInputs {
  readonly messages: Messages;
  readonly files: FileStore;
  readonly alerts: AlertsClient | undefined;
  readonly runs: RunRequests;
  /** Where this server listens. */
  readonly url: () => string;
}

/** Hooks, alert cards and slash commands. */
export function composeIntegrations(core: RoomsCore, { messages, files, alerts, runs, url }: IntegrationInputs) {
  const { options, state, store, writer, guard, newId, clock, outbound, cipher, alertRooms, log } = core;
  const { baseUrl, requireIfMatch } = options;
  const permalink = ({ slug }: Room, id: string) => `${(baseUrl ?? url()).replace(/\/+$/, '')}/r/${slug}/m/${id}`;
  const cards = new AlertCards({ messages, state, store, writer, clock, newId });
  const silences = options.readOnly ? undefined : new CardSilences({ alerts, state, store, cards, clock });
  writer.onCommit((events) => silences?.notice(events));
  const posts = new CommandPosts(messages, store);
  const relay = openRelay(core);
  const dashboard = openDashboard(core);
  const alertUsers = new AlertUsers({ alerts, relay, dashboard, state, alertRooms, clock });
  const lists = new LiveAlertLists({ users: alertUsers, messages, clock });
  const submit = writer.submit.bind(writer);
  // Rooms of commands have no copilot of their own.
  const roomContext = { cipher, alertRooms, refuseUrl: () => 'no address can be given here' };
  const tools = { state, store, submit, messages, files, roomContext, posts, cards, alertUsers, lists, runs };
  const commands = new SlashCommands({ ...tools, clock, newId, permalink });
  const rules = { maxBodyBytes: options.maxBodyBytes, joinOnPost: false };
  const reminders = options.readOnly ? undefined : new Reminders({ state, writer, rules, clock, log });
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
      await silences?.close();
      cards.close();
      reminders?.close();
      await outgoing.close();
      await relay?.close();
      await dashboard?.close();
    },
  };
}
