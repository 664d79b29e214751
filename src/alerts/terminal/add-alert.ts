import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { PostableAlert } from '../contract/wire.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { readJson } from './json-input.ts';
import { formatLabels, parseAnnotations, parseLabels } from './matcher-argument.ts';
import { formatOf, type OutputOptions, printJson } from './output.ts';
import { parseInstant, toWireInstant } from './time-argument.ts';
import { postableAlertsSchema } from './wire.ts';

export interface AddAlertOptions extends ConnectionOptions, OutputOptions {
  readonly annotation?: readonly string[];
  readonly generatorUrl?: string;
  readonly start?: string;
  readonly end?: string;
  readonly file?: string;
}

function alertFromArguments(args: readonly string[], options: AddAlertOptions): PostableAlert {
  const labels = parseLabels(args);
  const startsAt = options.start === undefined ? undefined : parseInstant(options.start, '--start');
  const endsAt = options.end === undefined ? undefined : parseInstant(options.end, '--end');
  if (startsAt !== undefined && endsAt !== undefined && startsAt > endsAt) {
    throw new CommandError('the alert ends before it starts: --end must not lie before --start', ExitCode.usage);
  }
  return {
    labels,
    ...(options.annotation && { annotations: parseAnnotations(options.annotation) }),
    ...(startsAt !== undefined && { startsAt: toWireInstant(startsAt) }),
    ...(endsAt !== undefined && { endsAt: toWireInstant(endsAt) }),
    ...(options.generatorUrl !== undefined && { generatorURL: options.generatorUrl }),
  };
}

async function alertsFromFile(path: string, args: readonly string[], options: AddAlertOptions, terminal: Terminal) {
  const { annotation, generatorUrl, start, end } = options;
  if (args.length > 0 || [annotation, generatorUrl, start, end].some((given) => given !== undefined)) {
    throw new CommandError('give an alert in arguments or alerts in --file, not both', ExitCode.usage);
  }
  const shape = 'an array of alerts such as [{"labels": {"alertname": "DiskFull"}}]';
  const alerts = await readJson(path, postableAlertsSchema, shape, terminal);
  if (alerts.length > 0) return alerts;
  throw new CommandError(`${path === '-' ? 'standard input' : path} holds no alert`, ExitCode.usage);
}

/** `alerts add`: posts one alert from arguments, or those of a file, and reports it in one line. */
export async function addAlert(args: readonly string[], options: AddAlertOptions, terminal: Terminal): Promise<void> {
  const { file } = options;
  if (file === undefined && args.length === 0) {
    throw new CommandError(
      'no labels given: name the alert, such as alertname=DiskFull severity=critical',
      ExitCode.usage,
    );
  }
  const alerts: PostableAlert[] =
    file === undefined ? [alertFromArguments(args, options)] : await alertsFromFile(file, args, options, terminal);
  await new AlertmanagerClient(options, terminal).addAlerts(alerts);
  const [first, ...others] = alerts;
  if (formatOf(options) === 'json') printJson(terminal, alerts);
  else if (first && others.length === 0) terminal.out(`added {${printable(formatLabels(first.labels, ', '))}}\n`);
  else terminal.out(`added ${alerts.length} alerts\n`);
}
