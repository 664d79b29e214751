import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import type { AlertmanagerConfig, ReceiverConfig } from '../../config/alertmanager-config.ts';
import type { NotifiedAlert, Pairs } from '../../domain/notification.ts';
import { RouteTree } from '../../domain/route.ts';
import { TimeIntervals } from '../../domain/time-intervals.ts';
import type { Notifier } from '../../integrations/notifier.ts';
import type { AlertGroup } from '../../store/group.ts';
import { readTemplateFiles } from '../../template/load-templates.ts';
import { Templates } from '../../template/templates.ts';
import {
  type NotifierSurroundings,
  type OpenNotifiers,
  type OpenNotifiersParts,
  openNotifiers,
} from '../open-notifiers.ts';
import { Receiver, type ReceiverIntegration, type ReceiverParts } from '../receiver.ts';
import { type RouteLabelParts, renderRouteLabels } from './data.ts';

/** Everything that a configuration decides about a flushed group. A reload replaces it as a whole. */
export interface NotificationPlan {
  readonly config: AlertmanagerConfig;
  readonly tree: RouteTree;
  readonly intervals: TimeIntervals;
  /** By name; only receivers that a route uses. */
  readonly receivers: ReadonlyMap<string, Receiver>;
  readonly integrationCount: number;
  renderRouteLabels(group: AlertGroup, alerts: readonly NotifiedAlert[]): Pairs;
  /** No further attempt begins. */
  endRetries(): void;
  /** Aborts attempts under way. */
  abort(): void;
  /** Closes connections when requests under way have ended. */
  close(): Promise<void>;
}

export interface NotificationPlanParts {
  readonly notifying: Omit<ReceiverParts, 'renderRouteLabels'>;
  /** The server's URL for users. */
  readonly externalUrl: () => string;
  readonly surroundings: NotifierSurroundings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads the templates and creates every integration of a configuration; refused when any of it fails. */
export async function buildPlan(
  config: AlertmanagerConfig,
  parts: NotificationPlanParts,
): Promise<Outcome<NotificationPlan>> {
  const { clock, log } = parts;
  for (const warning of config.warnings) log.warn(warning);
  for (const notice of config.notices) log.info(notice);
  const files = await readTemplateFiles(config.templates);
  if (!files.ok) return files;
  const templates = Templates.parse(files.value, clock);
  if (!templates.ok) return templates;
  const tree = new RouteTree(config.route);
  const labelParts: RouteLabelParts = {
    templates: templates.value,
    externalUrl: '',
    failed: (label, error) => log.error('failed to render route label', { label, err: messageOf(error) }),
  };
  const renderLabels = (group: AlertGroup, alerts: readonly NotifiedAlert[]) =>
    renderRouteLabels(group, alerts, { ...labelParts, externalUrl: parts.externalUrl() });
  const notifying = { ...parts.notifying, renderRouteLabels: renderLabels };
  const used = config.receivers.filter(isUsedBy(tree));
  const opened = openAll(used, {
    ...parts.surroundings,
    templates: templates.value,
    externalUrl: parts.externalUrl,
    log,
  });
  if (!opened.ok) return opened;
  const { notifiers, close } = opened.value;
  const receivers = new Map(
    used.map((receiver) => [
      receiver.name,
      new Receiver(receiver.name, integrationsOf(receiver, notifiers), notifying),
    ]),
  );
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
    close,
  });
}

function isUsedBy(tree: RouteTree): (receiver: ReceiverConfig) => boolean {
  const used = new Set([...tree.all()].map(({ receiver }) => receiver));
  return ({ name }) => used.has(name);
}

function openAll(receivers: readonly ReceiverConfig[], parts: OpenNotifiersParts): Outcome<OpenNotifiers> {
  try {
    return accepted(openNotifiers(receivers, parts));
  } catch (error) {
    return refused(messageOf(error));
  }
}

function integrationsOf(
  { name, integrations }: ReceiverConfig,
  notifiers: OpenNotifiers['notifiers'],
): readonly ReceiverIntegration[] {
  return integrations.map(({ integration, index, sendResolved }, place) => ({
    name: integration.name,
    index,
    sendResolved,
    notifier: notifiers.get(name)?.[place] as Notifier,
  }));
}
