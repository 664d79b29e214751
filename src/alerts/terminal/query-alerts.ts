import type { List } from '../../kernel/terminal/list.ts';
import { showList } from '../../kernel/terminal/show.ts';
import type { Cell } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions, type Parameters } from './client.ts';
import { filtersOf, formatLabels } from './matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson, severityCell, stateCell, whole } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireAlert } from './wire.ts';

export interface AlertStates {
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
  readonly unprocessed?: boolean;
}

export interface QueryAlertsOptions extends ConnectionOptions, OutputOptions, AlertStates {
  readonly receiver?: string;
}

/** Like amtool: the given states, by default only active alerts. */
function stateParameters({ active, silenced, inhibited, unprocessed }: AlertStates): Parameters {
  const anyNamed = active || silenced || inhibited || unprocessed;
  return {
    active: active === true || !anyNamed,
    silenced: silenced === true,
    inhibited: inhibited === true,
    unprocessed: unprocessed === true,
  };
}

const SIMPLE = ['Alertname', 'Severity', 'Starts At', 'Summary', 'State'];
const EXTENDED = [...SIMPLE, 'Labels', 'Annotations', 'Ends At', 'Silenced By', 'Generator URL', 'Fingerprint'];

/** The alerts by start. */
export function alertList(alerts: readonly WireAlert[], isExtended: boolean, terminal: Terminal): List {
  const colors = colorsOf(terminal);
  const rowOf = ({ labels, annotations, startsAt, status, ...others }: WireAlert): Cell[] => [
    labels.alertname ?? '',
    severityCell(labels.severity, colors),
    whole(formatInstant(startsAt)),
    annotations?.summary ?? '',
    stateCell(status.state, colors),
    ...(isExtended
      ? [
          formatLabels(labels),
          formatLabels(annotations ?? {}),
          formatInstant(others.endsAt),
          (status.silencedBy ?? []).join(' '),
          others.generatorURL ?? '',
          others.fingerprint,
        ]
      : []),
  ];
  const sorted = [...alerts].sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt));
  return { titles: isExtended ? EXTENDED : SIMPLE, rows: sorted.map(rowOf) };
}

/** `alerts query`: lists alerts. */
export async function queryAlerts(
  args: readonly string[],
  options: QueryAlertsOptions,
  terminal: Terminal,
): Promise<void> {
  const client = new AlertmanagerClient(options, terminal);
  const alerts = await client.alerts({
    ...stateParameters(options),
    filter: filtersOf(args),
    receiver: options.receiver,
  });
  const format = formatOf(options);
  if (format === 'json') return printJson(terminal, alerts);
  const isExtended = format === 'extended';
  await showList(alertList(alerts, isExtended, terminal), { what: 'alerts', place: client.url, isExtended }, terminal);
}
