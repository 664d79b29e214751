import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { PostableSilence } from '../contract/wire.ts';
import { refuseEmptySpan } from './add-silence.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { doEach } from './each-silence.ts';
import { readIds } from './json-input.ts';
import { formatOf, type OutputOptions } from './output.ts';
import { printSilences } from './silence-table.ts';
import { parseInstant, parseSpan, toWireInstant } from './time-argument.ts';
import type { WireSilence } from './wire.ts';

export interface UpdateSilencesOptions extends ConnectionOptions, OutputOptions {
  readonly duration?: string;
  readonly start?: string;
  readonly end?: string;
  readonly comment?: string;
  readonly quiet?: boolean;
}

interface Change {
  readonly durationMs?: number;
  readonly startsAt?: number;
  readonly endsAt?: number;
  readonly comment?: string;
}

function changeOf({ duration, start, end, comment }: UpdateSilencesOptions): Change {
  const change: Change = {
    ...(duration !== undefined && { durationMs: parseSpan(duration, '--duration') }),
    ...(start !== undefined && { startsAt: parseInstant(start, '--start') }),
    ...(end !== undefined && { endsAt: parseInstant(end, '--end') }),
    ...(comment !== undefined && { comment: comment.trim() }),
  };
  if (change.comment === '') throw new CommandError('--comment: a comment must say something', ExitCode.usage);
  if (Object.keys(change).length > 0) return change;
  throw new CommandError('nothing to change: give --duration, --start, --end or --comment', ExitCode.usage);
}

/**
 * Applies a change to a silence. A duration counts from the start of the silence, as in amtool; an expired silence is
 * replaced by one that starts now, and the duration counts from there.
 */
function applyChange(silence: WireSilence, change: Change, now: number): PostableSilence {
  const { id, matchers, createdBy, annotations } = silence;
  const isOver = silence.status.state === 'expired';
  const startsAt = change.startsAt ?? (isOver ? now : undefined);
  const from = startsAt ?? Date.parse(silence.startsAt);
  const endsAt = change.endsAt ?? (change.durationMs === undefined ? undefined : from + change.durationMs);
  refuseEmptySpan(from, endsAt ?? Date.parse(silence.endsAt));
  return {
    id,
    matchers,
    // Unchanged texts are sent back as received: a silence whose start changes gets a new id.
    startsAt: startsAt === undefined ? silence.startsAt : toWireInstant(startsAt),
    endsAt: endsAt === undefined ? silence.endsAt : toWireInstant(endsAt),
    createdBy,
    comment: change.comment ?? silence.comment,
    ...(annotations && { annotations }),
  };
}

/** `alerts silence update`: changes silences and prints them, or with --quiet their ids. */
export async function updateSilences(
  args: readonly string[],
  options: UpdateSilencesOptions,
  terminal: Terminal,
): Promise<void> {
  const change = changeOf(options);
  const client = new AlertmanagerClient(options, terminal);
  const ids = await readIds(args, terminal);
  if (ids.length === 0) terminal.err('no silence ids on standard input\n');
  const update = async (id: string) => {
    const next = applyChange(await client.silence(id), change, terminal.clock.now());
    return client.silence(await client.setSilence(next));
  };
  const nameOf = (id: string) => `silence ${id}`;
  const { done, failure } = await doEach(ids, update, { verb: 'update', workers: 1, nameOf, terminal });
  if (options.quiet) terminal.out(done.map(({ id }) => `${printable(id)}\n`).join(''));
  else if (done.length > 0 || !failure)
    await printSilences(done, { format: formatOf(options), url: client.url }, terminal);
  if (failure) throw failure;
}
