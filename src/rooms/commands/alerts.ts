import { readMatchers, splitWords } from '../domain/command/arguments.ts';
import type { LabelMatcher } from '../domain/command/matcher.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import { countAlerts, printAlerts, summariseAlerts } from './alert-text.ts';
import { type CommandMessage, cardOf, type SlashCommand } from './command.ts';

/** How long a posted list keeps itself up to date. */
export const LIVE_MS = 5 * 60_000;

/** The argument: matchers of the alerts to list; none lists all. */
export const alerts: SlashCommand<readonly LabelMatcher[]> = {
  name: 'alerts',
  help: '/alerts [matcher …] — the alerts that fire now (this and silences: where an admin allows it)',
  hint: 'the alerts that fire now; add matchers',
  read: ({ rest }) => readMatchers(splitWords(rest)),
  async run(request, filter, { posts, lists, alertUsers, clock }) {
    const client = alertUsers.admit(request);
    if (!client.ok) return client;
    const untilAt = clock.now() + LIVE_MS;
    const liveUntil = new Date(untilAt).toISOString();
    const read = async (): Promise<Outcome<CommandMessage>> => {
      const found = await client.value.alerts(filter, { onlyActive: true });
      if (!found.ok) return found;
      const list = summariseAlerts(found.value);
      return accepted({
        body: `${countAlerts(list.count)}\n${printAlerts(list)}`.trim(),
        card: { ...cardOf(request, 'alerts'), title: 'Alerts', alerts: list, liveUntil },
      });
    };
    const list = await read();
    if (!list.ok) return list;
    const posted = await posts.post(request, list.value);
    if (posted.ok) lists.keep({ request, read, posted: list.value, untilAt });
    return posted;
  },
};
