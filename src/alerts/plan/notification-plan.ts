import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { AlertmanagerConfig, ReceiverConfig } from '../config/alertmanager-config.ts';
import type { NotifiedAlert, Pairs } from '../domain/notification.ts';
import { RouteTree } from '../domain/route.ts';
import { TimeIntervals } from '../domain/time-intervals.ts';
import { type RouteLabelParts, renderRouteLabels } from '../notifications/notification-data.ts';
import {
  type ReceiverIntegration,
  ReceiverNotifier,
  type ReceiverNotifierParts,
} from '../notifications/receiver-notifier.ts';
import type { OpenNotifiersOf, SenderReceiver, SenderSettings } from '../sending/open-notifiers.ts';
import type { SenderLink, SenderPlan } from '../sending/sender-link.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import { readTemplateFiles } from '../template/load-templates.ts';
import { Templates } from '../template/templates.ts';

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
  /** Its connections end, as soon as requests under way have come to their end. */
  close(): void;
}

export interface NotificationPlanParts {
  readonly notifying: Omit<ReceiverNotifierParts, 'renderRouteLabels'>;
  /** Where people reach the server. */
  readonly externalUrl: () => string;
  readonly sender: SenderLink;
  /** What the sender does with the settings, to see whether they are possible. */
  readonly openNotifiers: OpenNotifiersOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads the templates and makes every integration of a configuration; refused when any of that is impossible. */
export async function buildPlan(
  config: AlertmanagerConfig,
  parts: NotificationPlanParts,
): Promise<Outcome<NotificationPlan>> {
  const { clock, log, sender } = parts;
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
  // The external URL is known only when the server listens.
  const settings = () => ({
    externalUrl: parts.externalUrl(),
    templates: files.value,
    receivers: used.map(settingsOf),
  });
  const impossible = refusalOf(settings(), parts);
  if (impossible) return impossible;
  const sending = sender.open(settings);
  const receivers = new Map(
    used.map((receiver) => [
      receiver.name,
      new ReceiverNotifier(receiver.name, integrationsOf(receiver, sending), notifying),
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
    close: () => sending.close(),
  });
}

function isUsedBy(tree: RouteTree): (receiver: ReceiverConfig) => boolean {
  const used = new Set([...tree.all()].map(({ receiver }) => receiver));
  return ({ name }) => used.has(name);
}

function settingsOf({ name, integrations }: ReceiverConfig): SenderReceiver {
  return {
    name,
    integrations: integrations.map(({ integration, index, config }) => ({ name: integration.name, index, config })),
  };
}

/** Undefined: the sender will be able to carry them out. */
function refusalOf(
  settings: SenderSettings,
  { openNotifiers }: NotificationPlanParts,
): Extract<Outcome<never>, { ok: false }> | undefined {
  try {
    // Until something is sent, none of them has anything that would have to be closed.
    openNotifiers(settings);
    return undefined;
  } catch (error) {
    return refused(messageOf(error));
  }
}

function integrationsOf({ name, integrations }: ReceiverConfig, sending: SenderPlan): readonly ReceiverIntegration[] {
  return integrations.map(({ integration, index, sendResolved }, place) => ({
    name: integration.name,
    index,
    sendResolved,
    notifier: sending.notifier(name, place),
  }));
}
