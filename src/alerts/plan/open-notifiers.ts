import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { ReceiverConfig } from '../config/alertmanager-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { templateDataOf } from '../notifications/notification-data.ts';
import { createHttpClient, type OpenHttpClient } from '../notify/http-client.ts';
import type { Notifier, NotifierContext, TemplateRenderer } from '../notify/notifier.ts';
import { readSecretFile } from '../notify/secret-file.ts';
import { USER_AGENT } from '../version.ts';

/** The notifiers of one configuration, with connections of their own. */
export interface OpenNotifiers {
  /** By the name of a receiver; in the order of its integrations. */
  readonly notifiers: ReadonlyMap<string, readonly Notifier[]>;
  /** Ends the connections; requests under way come to their end first. */
  close(): Promise<void>;
}

/** What notifiers need of the world outside. */
export interface NotifierSurroundings {
  /** Makes a client with connections of its own. */
  readonly openHttp: (config: HttpConfig | undefined) => OpenHttpClient;
  readonly readSecret: NotifierContext['readSecret'];
  readonly clock: Clock;
}

export interface OpenNotifiersParts extends NotifierSurroundings {
  readonly templates: TemplateRenderer;
  /** Where people reach the server. It is known only when the server listens. */
  readonly externalUrl: () => string;
}

/** Outside tests. */
export function notifierSurroundings(clock: Clock): NotifierSurroundings {
  const http = { clock, readSecret: readSecretFile, environment: process.env, userAgent: USER_AGENT };
  return { openHttp: (config) => createHttpClient(config, http), readSecret: readSecretFile, clock };
}

/** Throws an Error that names the impossible receiver. Opens no connection. */
export function openNotifiers(receivers: readonly ReceiverConfig[], parts: OpenNotifiersParts): OpenNotifiers {
  const clients: OpenHttpClient[] = [];
  const context = createContext(clients, parts);
  return {
    notifiers: new Map(receivers.map((receiver) => [receiver.name, notifiersOf(receiver, context)])),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function notifiersOf({ name, integrations }: ReceiverConfig, context: NotifierContext): readonly Notifier[] {
  try {
    return integrations.map(({ integration, config }) => integration.create(config, context));
  } catch (error) {
    throw new Error(`receiver ${JSON.stringify(name)}: ${messageOf(error)}`);
  }
}

function createContext(
  clients: OpenHttpClient[],
  { templates, externalUrl, clock, openHttp, readSecret }: OpenNotifiersParts,
): NotifierContext {
  return {
    templates,
    get externalUrl() {
      return externalUrl();
    },
    clock,
    openHttp(config) {
      const client = openHttp(config);
      clients.push(client);
      return client;
    },
    readSecret,
    dataOf: (notification) => templateDataOf(notification, externalUrl()),
  };
}
