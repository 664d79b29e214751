import type { DashboardClient, UsageEvent } from '../../dashboard-client.ts';
import { readLength } from '../../domain/command/arguments.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { cardOf, refuseArguments, type SlashCommand } from '../command.ts';
import { codeSpan } from '../markdown.ts';

const DAY_MS = 8.64e7;
const MAX_MS = 92 * DAY_MS;
const MAX_MODELS = 3;

interface UsageArguments {
  /** As it was asked for: `today`, `7d`. */
  readonly words: string;
  /** Epoch milliseconds, both ends included. */
  readonly startAt: number;
  readonly endAt: number;
  /** `undefined`: all users of the dashboard. */
  readonly user: string | undefined;
}

export const usage: SlashCommand<UsageArguments> = {
  name: 'usage',
  help: '/usage [today|yesterday|7d] [user] — what an AI coding assistant has cost, by UTC days',
  hint: 'today, yesterday or 7d: what an AI coding assistant has cost',
  read({ rest }, now) {
    const [words = 'today', user, ...more] = rest.split(/\s+/).filter((word) => word !== '');
    const midnight = Math.floor(now / DAY_MS) * DAY_MS;
    const length = readLength(words);
    const span =
      words === 'today'
        ? { startAt: midnight, endAt: now }
        : words === 'yesterday'
          ? { startAt: midnight - DAY_MS, endAt: midnight - 1 }
          : length && length <= MAX_MS
            ? { startAt: now - length, endAt: now }
            : undefined;
    if (!span || more.length > 0) return refuseArguments(usage, 'say today, yesterday, or a time up to 92d');
    return accepted({ words, ...span, user });
  },
  async run(request, args, { posts, alertUsers }) {
    const dashboard = alertUsers.admitToDashboard(request);
    if (!dashboard.ok) return dashboard;
    const body = await report(dashboard.value, args);
    if (!body.ok) return body;
    return posts.post(request, { body: body.value, card: { ...cardOf(request, 'usage'), title: 'Usage' } });
  },
};

async function report(
  dashboard: DashboardClient,
  { words, startAt, endAt, user }: UsageArguments,
): Promise<Outcome<string>> {
  const users = await dashboard.users();
  if (!users.ok) return users;
  const chosen = users.value.filter(({ id }) => user === undefined || id === user);
  if (chosen.length === 0) {
    const names = users.value.map(({ id }) => id).join(', ');
    return refuse('invalid_body', `the dashboard knows no user ${user ?? ''}; there are ${names}`);
  }
  let total = 0;
  let counted = 0;
  const lines: string[] = [];
  for (const { id, hasToken } of chosen) {
    const events = hasToken ? await dashboard.events(id, startAt, endAt) : undefined;
    if (events?.ok) {
      total += sum(events.value, centsOf);
      counted++;
      lines.push(`- **${id}**: ${printEvents(events.value)}`);
    } else lines.push(`- **${id}**: ${events ? events.reason : 'the dashboard holds no session token'}`);
  }
  const head = counted > 1 ? `usage ${words}: **${printDollars(total)}**` : `usage ${words}`;
  return accepted([head, ...lines].join('\n'));
}

function printEvents(events: readonly UsageEvent[]): string {
  const cents = new Map<string, number>();
  for (const event of events) {
    const model = event.model?.trim() || 'unknown';
    cents.set(model, (cents.get(model) ?? 0) + centsOf(event));
  }
  const models = [...cents].sort(([, a], [, b]) => b - a).slice(0, MAX_MODELS);
  const calls = `${events.length} ${events.length === 1 ? 'call' : 'calls'}`;
  const facts = `${printDollars(sum(events, centsOf))}, ${calls}, ${printTokens(sum(events, tokensOf))}`;
  return [facts, ...models.map(([model, spent]) => `${codeSpan(model)} ${printDollars(spent)}`)].join('; ');
}

const sum = (events: readonly UsageEvent[], of: (event: UsageEvent) => number): number =>
  events.reduce((total, event) => total + of(event), 0);

const centsOf = ({ chargedCents, tokenUsage }: UsageEvent): number => numberOf(chargedCents ?? tokenUsage?.totalCents);

function tokensOf({ tokenUsage }: UsageEvent): number {
  const { inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens } = tokenUsage ?? {};
  return [inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens].reduce<number>(
    (all, one) => all + numberOf(one),
    0,
  );
}

function numberOf(value: number | string | null | undefined): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

const printDollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

const printTokens = (count: number): string =>
  count < 1e6 ? `${Math.round(count)} tokens` : `${(count / 1e6).toFixed(1)} M tokens`;
