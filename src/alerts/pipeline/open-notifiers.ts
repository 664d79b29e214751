import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Traces } from '../../kernel/tracing/tracer.ts';
import type { ReceiverConfig } from '../config/alertmanager-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { createHttpClient, type OpenHttpClient } from '../integrations/http/client.ts';
import type { Notifier, NotifierContext, TemplateRenderer } from '../integrations/notifier.ts';
import { readSecretFile } from '../integrations/secret-file.ts';
import { createTolerantNotifier } from '../integrations/template/fallback.ts';
import { USER_AGENT } from '../version.ts';
import { templateDataOf } from './notification/data.ts';

/** The notifiers of one configuration and their connections. */
export interface OpenNotifiers {
  /** By receiver name, in the order of its integrations. */
  readonly notifiers: ReadonlyMap<string, readonly Notifier[]>;
  /** Closes connections when requests under way have ended. */
  close(): Promise<void>;
}

/** What notifiers need from outside. */
export interface NotifierSurroundings {
  /** Makes a client with connections of its own. */
  readonly openHttp: (config: HttpConfig | undefined) => OpenHttpClient;
  readonly readSecret: NotifierContext['readSecret'];
  readonly clock: Clock;
}

export interface OpenNotifiersParts extends NotifierSurroundings {
  readonly templates: TemplateRenderer;
  /** The server's URL for users; known only when the server listens. */
  readonly externalUrl: () => string;
  readonly log: NotifierContext['log'];
}

/** The real ones, for use outside tests. */
export function notifierSurroundings(clock: Clock, traces?: Traces): NotifierSurroundings {
  const http = { clock, traces, readSecret: readSecretFile, environment: process.env, userAgent: USER_AGENT };
  return { openHttp: (config) => createHttpClient(config, http), readSecret: readSecretFile, clock };
}

/** Opens no connection. Throws an Error that names the receiver that cannot be created. */
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
    return integrations.map(({ integration, config }) => createTolerantNotifier(integration, config, context));
  } catch (error) {
    throw new Error(`receiver ${JSON.stringify(name)}: ${messageOf(error)}`);
  }
}

function createContext(
  clients: OpenHttpClient[],
  { templates, externalUrl, clock, log, openHttp, readSecret }: OpenNotifiersParts,
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
    log,
  };
}
