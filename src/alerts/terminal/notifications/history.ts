import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import type { List } from '../../../kernel/terminal/list.ts';
import { showList } from '../../../kernel/terminal/show.ts';
import type { Cell } from '../../../kernel/terminal/table.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { printMatcher } from '../../domain/matcher/matcher.ts';
import { AlertmanagerClient, type ConnectionOptions } from '../client.ts';
import { formatLabels, parseMatcherArguments } from '../matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson, whole } from '../output.ts';
import { formatInstant, parseInstant, parseSpan, toWireInstant } from '../time-argument.ts';
import type { WireNotification } from '../wire.ts';

export interface HistoryOptions extends ConnectionOptions, OutputOptions {
  readonly receiver?: string;
  readonly integration?: string;
  readonly since: string;
  readonly limit: string;
  readonly failed?: boolean;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 10_000) return limit;
  throw new CommandError(`--limit: must be a whole number from 1 to 10000, found "${text}"`, ExitCode.usage);
}

/** An instant, or a time that has passed since. */
function parseSince(text: string, terminal: Terminal): string {
  const at = /^\d{4}-/.test(text) ? parseInstant(text, '--since') : terminal.clock.now() - parseSpan(text, '--since');
  return toWireInstant(at);
}

/** `2 firing, 1 resolved` */
function alertCount({ firing, resolved }: WireNotification): string {
  const parts = [firing > 0 && `${firing} firing`, resolved > 0 && `${resolved} resolved`];
  return parts.filter(Boolean).join(', ') || 'none';
}

function errorsOf({ error, templateError }: WireNotification): string {
  return [error, templateError && `template error in ${templateError}`].filter(Boolean).join('; ');
}

const SIMPLE = ['At', 'Receiver', 'Integration', 'Result', 'Reason', 'Alerts', 'Group'];
const EXTENDED = [...SIMPLE, 'Group Key', 'Attempts', 'Duration'];

/** The notifications, newest first as from the server. Nodes and errors have a column if there are any. */
export function historyList(
  notifications: readonly WireNotification[],
  { extended, terminal }: { readonly extended: boolean; readonly terminal: Terminal },
): List {
  const colors = colorsOf(terminal);
  const anyError = notifications.some(({ error, templateError }) => error || templateError);
  const anyNode = notifications.some(({ node }) => node);
  const rowOf = (notification: WireNotification): Cell[] => {
    const { at, receiver, integration, index, result, reason, groupLabels, groupKey } = notification;
    const { attempts, durationMs, node } = notification;
    return [
      whole(formatInstant(at)),
      receiver,
      `${integration}[${index}]`,
      { text: result, style: result === 'sent' ? colors.green : colors.red },
      reason,
      alertCount(notification),
      `{${formatLabels(groupLabels, ', ')}}`,
      ...(extended ? [groupKey, String(attempts), `${durationMs} ms`] : []),
      ...(anyNode ? [node ?? ''] : []),
      ...(anyError ? [errorsOf(notification)] : []),
    ];
  };
  const titles = [...(extended ? EXTENDED : SIMPLE), ...(anyNode ? ['Node'] : []), ...(anyError ? ['Error'] : [])];
  return { titles, rows: notifications.map(rowOf) };
}

/** `alerts history`: what was sent, when, why, to which receiver and with which result. */
export async function showHistory(args: readonly string[], options: HistoryOptions, terminal: Terminal): Promise<void> {
  const matchers = parseMatcherArguments(args);
  const client = new AlertmanagerClient(options, terminal);
  const found = await client.notifications({
    receiver: options.receiver,
    integration: options.integration,
    since: parseSince(options.since, terminal),
    failed: options.failed,
    filter: matchers.map(printMatcher),
    limit: String(parseLimit(options.limit)),
  });
  const format = formatOf(options);
  if (format === 'json') return printJson(terminal, found);
  const isExtended = format === 'extended';
  const list = historyList(found, { extended: isExtended, terminal });
  await showList(list, { what: 'notifications', place: client.url, isExtended }, terminal);
}
