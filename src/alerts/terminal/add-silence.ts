import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import { matchEverything } from './broad-matchers.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { parseAnnotations, parseMatcherArguments, toWireMatcher } from './matcher-argument.ts';
import { formatOf, type OutputOptions, printJson } from './output.ts';
import { parseInstant, parseSpan, toWireInstant } from './time-argument.ts';

export interface AddSilenceOptions extends ConnectionOptions, OutputOptions {
  readonly author?: string;
  readonly duration: string;
  readonly start?: string;
  readonly end?: string;
  readonly comment?: string;
  readonly annotation?: readonly string[];
  readonly expireWhenResolved?: boolean;
  readonly force?: boolean;
}

/** Matches every alert; servers refuse silences whose matchers all match a missing label, which this one does not. */
const EVERY_ALERT = 'alertname=~".+"';

function chooseMatchers(args: readonly string[], force: boolean): Matcher[] {
  const matchers = parseMatcherArguments(args);
  if (!matchEverything(matchers)) return matchers;
  if (!force) {
    const cause = args.length === 0 ? 'no matcher given' : 'these matchers match every alert';
    throw new CommandError(
      `${cause}: name what to silence, such as alertname=DiskFull, or silence everything with --force`,
      ExitCode.usage,
    );
  }
  const refusedByServers = matchers.every((matcher) => matcher.matches(''));
  return refusedByServers ? [...matchers, ...parseMatcherArguments([EVERY_ALERT])] : matchers;
}

/** The given author or the user of the terminal; throws for wrong usage without both. */
export function chooseAuthor(given: string | undefined, terminal: Terminal): string {
  if (given) return given;
  let user = '';
  try {
    user = terminal.user();
  } catch {
    // The user id of the process may have no name.
  }
  if (user) return user;
  throw new CommandError('the author is not known: say who you are with --author', ExitCode.usage);
}

/** Throws for wrong usage unless the end comes after the start. */
export function refuseEmptySpan(startsAt: number, endsAt: number): void {
  if (endsAt > startsAt) return;
  throw new CommandError(
    `the silence must end after it starts: it would last from ${toWireInstant(startsAt)} to ${toWireInstant(endsAt)}`,
    ExitCode.usage,
  );
}

/** `alerts silence add`: prints the id of the new silence on a line of its own. */
export async function addSilence(
  args: readonly string[],
  options: AddSilenceOptions,
  terminal: Terminal,
): Promise<void> {
  const matchers = chooseMatchers(args, options.force === true);
  const comment = options.comment?.trim();
  if (!comment) throw new CommandError('a comment is required: say why with --comment "…"', ExitCode.usage);
  const createdBy = chooseAuthor(options.author, terminal);
  const startsAt = options.start === undefined ? terminal.clock.now() : parseInstant(options.start, '--start');
  const endsAt =
    options.end === undefined
      ? startsAt + parseSpan(options.duration, '--duration')
      : parseInstant(options.end, '--end');
  refuseEmptySpan(startsAt, endsAt);
  const annotations = {
    ...parseAnnotations(options.annotation ?? []),
    ...(options.expireWhenResolved && { expire_when_resolved: 'true' }),
  };
  const silenceID = await new AlertmanagerClient(options, terminal).setSilence({
    matchers: matchers.map(toWireMatcher),
    startsAt: toWireInstant(startsAt),
    endsAt: toWireInstant(endsAt),
    createdBy,
    comment,
    ...(Object.keys(annotations).length > 0 && { annotations }),
  });
  if (formatOf(options) === 'json') printJson(terminal, { silenceID });
  else terminal.out(`${printable(silenceID)}\n`);
}
