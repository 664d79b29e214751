import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions, type Parameters } from './client.ts';
import { filtersOf, formatLabels } from './matcher-argument.ts';
import {
  colorsOf,
  formatOf,
  headingOf,
  type OutputFormat,
  type OutputOptions,
  printJson,
  stateCell,
} from './output.ts';
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

const SIMPLE = ['Alertname', 'Starts At', 'Summary', 'State'];
const EXTENDED = ['Labels', 'Annotations', 'Starts At', 'Ends At', 'Generator URL', 'State'];

/** The alerts as a table, by start. */
export function alertTable(alerts: readonly WireAlert[], format: OutputFormat, terminal: Terminal): string {
  const colors = colorsOf(terminal);
  const extended = format === 'extended';
  const rowOf = ({ labels, annotations, startsAt, endsAt, generatorURL, status }: WireAlert): Cell[] => {
    const began = formatInstant(startsAt);
    const state = stateCell(status.state, colors);
    if (!extended) return [labels.alertname ?? '', began, annotations?.summary ?? '', state];
    const ends = formatInstant(endsAt);
    return [formatLabels(labels), formatLabels(annotations ?? {}), began, ends, generatorURL ?? '', state];
  };
  const sorted = [...alerts].sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt));
  return formatTable([headingOf(extended ? EXTENDED : SIMPLE, colors), ...sorted.map(rowOf)]);
}

/** `alerts query`: lists alerts. */
export async function queryAlerts(
  args: readonly string[],
  options: QueryAlertsOptions,
  terminal: Terminal,
): Promise<void> {
  const alerts = await new AlertmanagerClient(options, terminal).alerts({
    ...stateParameters(options),
    filter: filtersOf(args),
    receiver: options.receiver,
  });
  const format = formatOf(options);
  if (format === 'json') printJson(terminal, alerts);
  else terminal.out(alertTable(alerts, format, terminal));
}
