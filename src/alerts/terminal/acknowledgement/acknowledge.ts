import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { chooseAuthor } from '../add-silence.ts';
import { AlertmanagerClient, type ConnectionOptions } from '../client.ts';
import { doEach } from '../each-silence.ts';
import { filtersOf, formatLabels } from '../matcher-argument.ts';
import { type OutputOptions, printIds } from '../output.ts';
import { parseSpan, toWireInstant } from '../time-argument.ts';
import type { WireAlert } from '../wire.ts';

export interface AcknowledgeOptions extends ConnectionOptions, OutputOptions {
  readonly author?: string;
  readonly comment: string;
  readonly duration: string;
  readonly force?: boolean;
}

/** The first end of an acknowledgement, which the server renews. */
const FIRST_END_MS = 15 * 60_000;
const WORKERS = 8;

/** `alerts ack`: makes one silence per active alert, so that no other alert is silenced, and prints their ids. */
export async function acknowledge(
  args: readonly string[],
  options: AcknowledgeOptions,
  terminal: Terminal,
): Promise<void> {
  if (args.length === 0 && !options.force) {
    throw new CommandError(
      'no matcher given: name what to acknowledge, such as alertname=DiskFull, or acknowledge everything with --force',
      ExitCode.usage,
    );
  }
  const limitMs = parseSpan(options.duration, '--duration');
  const createdBy = chooseAuthor(options.author, terminal);
  const client = new AlertmanagerClient(options, terminal);
  const filter = filtersOf(args);
  const alerts = await client.alerts({ active: true, silenced: false, inhibited: false, filter });
  if (alerts.length === 0) throw new CommandError(`no active alert at ${client.url} matches`);
  const now = terminal.clock.now();
  const silence = ({ labels }: WireAlert) =>
    client.setSilence({
      matchers: Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true })),
      startsAt: toWireInstant(now),
      endsAt: toWireInstant(now + Math.min(FIRST_END_MS, limitMs)),
      createdBy,
      comment: options.comment,
      annotations: { acknowledged_until: toWireInstant(now + limitMs) },
    });
  const nameOf = ({ labels }: WireAlert) => `{${formatLabels(labels)}}`;
  const { done, failure } = await doEach(alerts, silence, { verb: 'create', workers: WORKERS, nameOf, terminal });
  printIds(done, options, terminal);
  if (failure) throw failure;
}
