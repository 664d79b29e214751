import type { AlertsClient, ListedAlert, SilenceRequest } from '../alerts-client.ts';
import { requireForce } from '../domain/card/alert-access.ts';
import type { CommandAlerts } from '../domain/card/command-card.ts';
import { matchersOf } from '../domain/card/silence.ts';
import { readMatchers, splitWords } from '../domain/command/arguments.ts';
import type { CommandLine } from '../domain/command/line.ts';
import { type LabelMatcher, matchesAnything, printMatcher } from '../domain/command/matcher.ts';
import { readMoment } from '../domain/command/moment.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { printAlerts, printEnd, printMatching, summariseAlerts } from './alert-text.ts';
import {
  type CommandMessage,
  type CommandParts,
  type CommandRequest,
  type CommandResult,
  cardOf,
  notice,
  refuseArguments,
  type SlashCommand,
} from './command.ts';
import { silenceMessage } from './silence-card.ts';

export interface SilenceArguments {
  readonly endsAt: number;
  /** Empty: those of the alert group in whose thread it is written. */
  readonly matchers: readonly LabelMatcher[];
  readonly comment: string;
  /** Nothing is done, and only the caller sees what it would match. */
  readonly isPreview: boolean;
  readonly force: boolean;
}

/** The longest id of a silence. */
const MAX_ID = '0'.repeat(64);
const NO_ALERTS: CommandAlerts = { count: 0, listed: [] };

export const silence: SlashCommand<SilenceArguments> = {
  name: 'silence',
  help: '/silence 2h alertname=DiskFull instance=~"web.*" -- why; add ? to see first what it would match',
  hint: '2h alertname=DiskFull -- why; add ? to see what it would match',
  read: readSilence,
  run: postSilence,
};

function readSilence({ rest, isMarked }: CommandLine, now: number): Outcome<SilenceArguments> {
  const [line = '', ...comments] = rest.split(/(?:^|\s)--(?:\s|$)/);
  const words = splitWords(line);
  const force = words.includes('--force') || / --force\b/.test(` ${rest}`);
  const given = words.filter((word) => word !== '--force');
  const isPreview = isMarked || given.at(-1) === '?';
  if (given.at(-1) === '?') given.pop();
  const end = readMoment(given, now);
  if (end === undefined) return refuseArguments(silence, 'say how long: 30m, 2h, 1d, or until 09:00 (UTC)');
  if (end === 'past') return refuseArguments(silence, 'the end must lie ahead, by at most a year');
  const matchers = readMatchers(given.slice(end.words));
  if (!matchers.ok) return matchers;
  if (matchers.value.length > 0 && matchers.value.every(matchesAnything) && !force)
    return refuse(
      'invalid_body',
      'these matchers would silence everything; name a label (admins of the server may add --force)',
    );
  const comment = comments
    .join(' -- ')
    .replace(/(^|\s)--force\b/g, '')
    .replace(/(^|\s)\?$/, '')
    .trim();
  return accepted({ endsAt: end.at, matchers: matchers.value, comment, isPreview, force });
}

async function postSilence(
  request: CommandRequest,
  args: SilenceArguments,
  parts: CommandParts,
): Promise<CommandResult> {
  const { posts, alertUsers, clock } = parts;
  const client = alertUsers.admit(request);
  if (!client.ok) return client;
  const refusal = args.force ? requireForce(request.caller) : undefined;
  if (refusal) return refusal;
  const alerts = client.value;
  const root = await posts.alertOf(request);
  const matchers = args.matchers.length > 0 ? args.matchers : root ? matchersOf(root.card) : [];
  if (matchers.length === 0) return refuseArguments(silence, 'there are no matchers');
  const startsAt = clock.now();
  const messageOf = (id: string, found: CommandAlerts) =>
    printSilence(request, args, { id, matchers, startsAt, found });
  const early = await posts.refusalOf(request, messageOf(MAX_ID, NO_ALERTS));
  if (early) return early;
  const matching = await alerts.alerts(matchers, { onlyActive: false });
  if (!matching.ok) return matching;
  const found = summariseMatching(matching.value);
  if (args.isPreview) {
    const words = matchers.map(printMatcher).join(', ');
    const text = `would silence ${words} until ${printEnd(args.endsAt)}; ${printMatching(found)}\n${printAlerts(found)}`;
    return notice(text.trim(), messageOf('', found).card);
  }
  return posts.act(request, messageOf(MAX_ID, found), async () => {
    // The search for alerts may have taken seconds.
    const late = alertUsers.refusalOf(request.caller, request.access.room.id);
    if (late) return late;
    const made = await createSilence(request, args, { alerts, matchers, startsAt }, parts);
    if (!made.ok) return made;
    const mark = { id: made.value, endsAt: new Date(args.endsAt).toISOString(), by: request.caller.user.id };
    if (root) await parts.cards.change(request.access.room.id, root.id, (card) => ({ ...card, silence: mark }));
    return accepted(messageOf(made.value, summariseMatching(matching.value, made.value)));
  });
}

/** `id`: of the silence itself, which a repeated command finds in place. */
function summariseMatching(alerts: readonly ListedAlert[], id?: string): CommandAlerts {
  const newly = alerts.filter(({ silencedBy }) => silencedBy.every((other) => other === id));
  return { ...summariseAlerts(alerts), newlySilenced: newly.length };
}

/**
 * Creates the silence and returns its id. A command that was interrupted between its silence and its message finds its
 * silence by the URL of the message.
 */
async function createSilence(
  { caller, post, access: { room }, id }: CommandRequest,
  { endsAt, comment: reason }: SilenceArguments,
  { alerts, ...silenced }: { readonly alerts: AlertsClient } & Pick<SilenceRequest, 'matchers' | 'startsAt'>,
  { permalink }: CommandParts,
): Promise<Outcome<string>> {
  const comment = `${reason || `silenced from ${room.slug}`} ${permalink(room, id)}`;
  const before = post.id === undefined ? accepted(undefined) : await alerts.findSilence(comment);
  if (!before.ok) return before;
  if (before.value !== undefined) return accepted(before.value);
  return alerts.silence({ ...silenced, endsAt, createdBy: caller.user.id, comment });
}

interface Silence {
  readonly id: string;
  readonly matchers: readonly LabelMatcher[];
  readonly startsAt: number;
  readonly found: CommandAlerts;
}

function printSilence(
  request: CommandRequest,
  { endsAt, comment }: SilenceArguments,
  { id, matchers, startsAt, found }: Silence,
): CommandMessage {
  const times = { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
  const silence = { id, matchers: matchers.map(printMatcher), comment, ...times };
  return silenceMessage({ ...cardOf(request, 'silence'), title: 'Silence', silence, alerts: found });
}
