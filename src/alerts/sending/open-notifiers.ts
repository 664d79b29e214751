import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { templateDataOf } from '../notifications/notification-data.ts';
import type { OpenHttpClient } from '../notify/http-client.ts';
import { INTEGRATIONS } from '../notify/integrations.ts';
import type { Notifier, NotifierContext } from '../notify/notifier.ts';
import { type TemplateFile, Templates } from '../template/templates.ts';

/** What a configuration makes notifiers of. Can be copied into another process. */
export interface SenderSettings {
  /** Where people reach the server. */
  readonly externalUrl: string;
  /** Beside the default ones. */
  readonly templates: readonly TemplateFile[];
  readonly receivers: readonly SenderReceiver[];
}

export interface SenderReceiver {
  readonly name: string;
  readonly integrations: readonly SenderIntegration[];
}

export interface SenderIntegration {
  /** Such as `webhook`. */
  readonly name: string;
  /** Its place among those of its kind, from 0. */
  readonly index: number;
  /** Completed with what the global part says. */
  readonly config: unknown;
}

/** The notifiers of one configuration, with connections of their own. */
export interface OpenNotifiers {
  /** By the name of a receiver, and the place of an integration among all of it. */
  readonly notifiers: ReadonlyMap<string, readonly Notifier[]>;
  /** Ends connections; requests under way come to their end first. */
  close(): Promise<void>;
}

export interface NotifierSurroundings {
  /** Makes a client with connections of its own. */
  readonly openHttp: (config: HttpConfig | undefined) => OpenHttpClient;
  readonly readSecret: NotifierContext['readSecret'];
  readonly clock: Clock;
}

export type OpenNotifiersOf = (settings: SenderSettings) => OpenNotifiers;

/** Throws an Error that names the receiver or the template which is impossible. Opens no connection. */
export function openNotifiers(settings: SenderSettings, surroundings: NotifierSurroundings): OpenNotifiers {
  const clients: OpenHttpClient[] = [];
  const context = createContext(settings, clients, surroundings);
  return {
    notifiers: new Map(settings.receivers.map((receiver) => [receiver.name, notifiersOf(receiver, context)])),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function notifiersOf({ name: receiver, integrations }: SenderReceiver, context: NotifierContext): readonly Notifier[] {
  try {
    return integrations.map(({ name, config }) => {
      const integration = INTEGRATIONS.find((one) => one.name === name);
      if (!integration) throw new Error(`there is no integration ${name}`);
      return integration.create(config, context);
    });
  } catch (error) {
    throw new Error(`receiver ${JSON.stringify(receiver)}: ${messageOf(error)}`);
  }
}

function createContext(
  { externalUrl, templates: files }: SenderSettings,
  clients: OpenHttpClient[],
  { clock, openHttp, readSecret }: NotifierSurroundings,
): NotifierContext {
  const templates = Templates.parse(files, clock);
  if (!templates.ok) throw new Error(templates.reason);
  return {
    templates: templates.value,
    externalUrl,
    clock,
    openHttp(config) {
      const client = openHttp(config);
      clients.push(client);
      return client;
    },
    readSecret,
    dataOf: (notification) => templateDataOf(notification, externalUrl),
  };
}
