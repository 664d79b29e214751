import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { AlertmanagerConfig, ReceiverConfig } from '../config/alertmanager-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import type { NotifiedAlert, Pairs } from '../domain/notification.ts';
import { RouteTree } from '../domain/route.ts';
import { TimeIntervals } from '../domain/time-intervals.ts';
import { type RouteLabelParts, renderRouteLabels, templateDataOf } from '../notifications/notification-data.ts';
import { ReceiverNotifier, type ReceiverNotifierParts } from '../notifications/receiver-notifier.ts';
import type { OpenHttpClient } from '../notify/http-client.ts';
import type { NotifierContext } from '../notify/notifier.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import { loadTemplates } from '../template/load-templates.ts';
import type { Templates } from '../template/templates.ts';

/** All that a configuration makes of a flushed group. One is replaced by the next as a whole. */
export interface NotificationPlan {
  readonly config: AlertmanagerConfig;
  readonly tree: RouteTree;
  readonly intervals: TimeIntervals;
  /** By name, those that some route uses. */
  readonly receivers: ReadonlyMap<string, ReceiverNotifier>;
  readonly integrationCount: number;
  renderRouteLabels(group: AlertGroup, alerts: readonly NotifiedAlert[]): Pairs;
  /** From now on no attempt begins. */
  endRetries(): void;
  /** Ends what is under way. */
  abort(): void;
  /** Ends connections; requests under way come to their end first. */
  close(): Promise<void>;
}

export interface NotificationPlanParts {
  readonly notifying: Omit<ReceiverNotifierParts, 'renderRouteLabels'>;
  /** Where people reach the server. */
  readonly externalUrl: () => string;
  /** Makes a client with connections of its own. */
  readonly openHttp: (config: HttpConfig | undefined) => OpenHttpClient;
  readonly readSecret: NotifierContext['readSecret'];
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads the templates and makes every integration of a configuration; refused when any of that is impossible. */
export async function buildPlan(
  config: AlertmanagerConfig,
  parts: NotificationPlanParts,
): Promise<Outcome<NotificationPlan>> {
  const { clock, log } = parts;
  for (const warning of config.warnings) log.warn(warning);
  for (const notice of config.notices) log.info(notice);
  const templates = await loadTemplates(config.templates, { clock });
  if (!templates.ok) return templates;
  const tree = new RouteTree(config.route);
  const clients: OpenHttpClient[] = [];
  const context = createContext(templates.value, clients, parts);
  const labelParts: RouteLabelParts = {
    templates: templates.value,
    externalUrl: '',
    failed: (label, error) => log.error('failed to render route label', { label, err: messageOf(error) }),
  };
  const renderLabels = (group: AlertGroup, alerts: readonly NotifiedAlert[]) =>
    renderRouteLabels(group, alerts, { ...labelParts, externalUrl: parts.externalUrl() });
  const notifying = { ...parts.notifying, renderRouteLabels: renderLabels };
  const made = createReceivers(config.receivers.filter(isUsedBy(tree)), context, notifying);
  if (!made.ok) return made;
  const receivers = made.value;
  return accepted({
    config,
    tree,
    intervals: new TimeIntervals(config.timeIntervals),
    receivers,
    integrationCount: [...receivers.values()].reduce((sum, { integrations }) => sum + integrations.length, 0),
    renderRouteLabels: renderLabels,
    endRetries() {
      for (const receiver of receivers.values()) receiver.endRetries();
    },
    abort() {
      const reason = new Error('the server stops or has a new configuration');
      for (const receiver of receivers.values()) receiver.abort(reason);
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  });
}

function isUsedBy(tree: RouteTree): (receiver: ReceiverConfig) => boolean {
  const used = new Set([...tree.all()].map(({ receiver }) => receiver));
  return ({ name }) => used.has(name);
}

function createReceivers(
  configs: readonly ReceiverConfig[],
  context: NotifierContext,
  notifying: ReceiverNotifierParts,
): Outcome<ReadonlyMap<string, ReceiverNotifier>> {
  const receivers = new Map<string, ReceiverNotifier>();
  for (const config of configs) {
    try {
      receivers.set(config.name, new ReceiverNotifier(config.name, createIntegrations(config, context), notifying));
    } catch (error) {
      return refused(`receiver ${JSON.stringify(config.name)}: ${messageOf(error)}`);
    }
  }
  return accepted(receivers);
}

function createIntegrations({ integrations }: ReceiverConfig, context: NotifierContext) {
  return integrations.map(({ integration, index, config, sendResolved }) => ({
    name: integration.name,
    index,
    sendResolved,
    notifier: integration.create(config, context),
  }));
}

function createContext(
  templates: Templates,
  clients: OpenHttpClient[],
  { clock, externalUrl, openHttp, readSecret }: NotificationPlanParts,
): NotifierContext {
  return {
    templates,
    // Known only when the server listens.
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
