import type { ChalkInstance } from 'chalk';
import { formatDuration } from '../../../kernel/duration.ts';
import { displayWidth } from '../../../kernel/terminal/display-width.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions } from '../client.ts';
import { formatLabels, parseLabels } from '../matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson } from '../output.ts';
import { formatInstant } from '../time-argument.ts';
import type { WireExplainedRoute, WireExplanation } from '../wire.ts';

export interface ExplainOptions extends ConnectionOptions, OutputOptions {}

type LabelSet = Readonly<Record<string, string>>;

interface Style {
  readonly colors: ChalkInstance;
  readonly now: number;
}

const braces = (labels: LabelSet) => `{${printable(formatLabels(labels, ', '))}}`;

/** The column after the titles. */
const TITLE_WIDTH = 11;

function titled(title: string, text: string, { colors }: Style): string {
  return `${colors.bold(title)}${' '.repeat(Math.max(1, TITLE_WIDTH - displayWidth(title)))}${text}`;
}

/** `2026-03-01 18:00:00 UTC (in 12s)` */
function fromNow(instant: string, now: number): string {
  const seconds = Math.round((Date.parse(instant) - now) / 1000);
  if (Number.isNaN(seconds)) return printable(instant);
  const distance = seconds === 0 ? 'now' : formatDuration(Math.abs(seconds) * 1000);
  const words = seconds > 0 ? `in ${distance}` : seconds < 0 ? `${distance} ago` : distance;
  return `${formatInstant(instant)} (${words})`;
}

function stateOf({ alert }: WireExplanation, { colors, now }: Style): string {
  if (!alert) return colors.dim('the server holds no such alert: this is what would become of it');
  const { status, startsAt, endsAt } = alert;
  if (status === 'resolved') return `${colors.green('resolved')} since ${fromNow(endsAt, now)}`;
  return `${colors.red(printable(status))} since ${fromNow(startsAt, now)}`;
}

function stateLines(explanation: WireExplanation, style: Style): string[] {
  const { silencedBy, inhibitedBy } = explanation;
  const { colors } = style;
  const lines = [titled('state', stateOf(explanation, style), style)];
  const silenced = silencedBy.length > 0 ? colors.yellow(`by ${printable(silencedBy.join(', '))}`) : 'no';
  lines.push(titled('silenced', silenced, style));
  if (inhibitedBy.length === 0) lines.push(titled('inhibited', 'no', style));
  for (const [i, { rule, labels, fingerprint }] of inhibitedBy.entries()) {
    const words = `by ${braces(labels)} ${printable(fingerprint)}, rule ${printable(String(rule))}`;
    lines.push(titled(i === 0 ? 'inhibited' : '', colors.yellow(words), style));
  }
  return lines;
}

function groupLine({ group, groupLabels, groupWait }: WireExplainedRoute, now: number): string {
  const name = braces(groupLabels);
  if (!group) {
    const wait = groupWait === '0s' ? 'at once' : `${printable(groupWait)} after it is made`;
    return `${name}, which does not exist yet: its first flush comes ${wait}`;
  }
  const count = group.alerts === 1 ? '1 alert' : `${group.alerts} alerts`;
  return `${name} of ${count}${group.nextFlush ? `, next flush ${fromNow(group.nextFlush, now)}` : ''}`;
}

function routeLines(route: WireExplainedRoute, number: number, style: Style): string[] {
  const { colors, now } = style;
  const { receiver, path, group, groupWait, groupInterval, repeatInterval, mutedBy, verdict } = route;
  const lines = [
    `${colors.bold(`${number}. ${printable(receiver)}`)}`,
    `   ${titled('path', path.map(printable).join(colors.dim(' → ')), style)}`,
    `   ${titled('group', groupLine(route, now), style)}`,
    `   ${titled('key', printable(route.groupKey), style)}`,
    `   ${titled('times', printable(`wait ${groupWait}, interval ${groupInterval}, repeat ${repeatInterval}`), style)}`,
    `   ${titled('muted', mutedBy.length > 0 ? colors.yellow(`by ${printable(mutedBy.join(', '))}`) : 'no', style)}`,
  ];
  if (group && verdict.length === 0)
    lines.push(`   ${titled('verdict', 'the receiver has no integration: nothing is sent', style)}`);
  for (const [i, { integration, index, wouldSend, words }] of verdict.entries()) {
    const decision = wouldSend ? colors.green('would send') : colors.yellow('would not send');
    const text = `${printable(`${integration}[${index}]`)} ${decision}: ${printable(words)}`;
    lines.push(`   ${titled(i === 0 ? 'verdict' : '', text, style)}`);
  }
  return lines;
}

/** The explanation as text: the alert, what suppresses it, then its routes and what would be sent. */
export function explanationText(explanation: WireExplanation, terminal: Terminal): string {
  const style: Style = { colors: colorsOf(terminal), now: terminal.clock.now() };
  const { labels, fingerprint, routes } = explanation;
  const lines = [
    titled('alert', `${style.colors.cyan(braces(labels))} ${printable(fingerprint)}`, style),
    ...stateLines(explanation, style),
    '',
    routes.length === 1 ? 'It goes to one route:' : `It goes to ${routes.length} routes:`,
    ...routes.flatMap((route, i) => routeLines(route, i + 1, style)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** `alerts explain`: what happens to an alert with these labels, and why. */
export async function explainAlert(
  args: readonly string[],
  options: ExplainOptions,
  terminal: Terminal,
): Promise<void> {
  const labels = parseLabels(args);
  const explanation = await new AlertmanagerClient(options, terminal).explanation({
    label: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
  });
  if (formatOf(options) === 'json') printJson(terminal, explanation);
  else terminal.out(explanationText(explanation, terminal));
}
