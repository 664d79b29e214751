import { MAX_LENGTH_MS, readLength } from '../domain/command/arguments.ts';
import { accepted } from '../domain/refusal.ts';
import { requireAsker } from '../domain/run/access.ts';
import { seqBefore } from './catchup.ts';
import { type CommandMessage, cardOf, notice, refuseArguments, type SlashCommand } from './command.ts';
import { printLength } from './markdown.ts';

const USUAL_MS = 2 * 3.6e6;
const PROMPT =
  'Sum up for everybody what was said, the most important first: what was decided, what is still open, and who does what.';

/** The argument: how far back, in ms. */
export const summary: SlashCommand<number> = {
  name: 'summary',
  help: '/summary [2h] — the copilot of the room sums up the last two hours, for all to see',
  hint: 'the copilot of the room sums up the last two hours',
  read({ rest }) {
    const given = rest.trim();
    const ms = given === '' ? USUAL_MS : readLength(given);
    if (!ms || ms > MAX_LENGTH_MS) return refuseArguments(summary, 'say how far back: 30m, 2h, 1d');
    return accepted(ms);
  },
  async run(request, ms, { state, store, runs, posts, clock }) {
    const { caller, access, id, post } = request;
    const refusal = requireAsker(state, caller, access, false, clock.now());
    if (refusal) return refusal;
    const { lastSeq } = state.head(access.room.id);
    const sinceSeq = await seqBefore(store, access, clock.now() - ms, lastSeq);
    if (sinceSeq >= lastSeq) return notice('nothing was said in that time');
    const messageOf = (words: string): CommandMessage => ({
      body: `asks the copilot for a summary of the last ${printLength(ms)}${words}`,
      card: { ...cardOf(request, 'summary'), title: 'Summary' },
    });
    const posted = await posts.post(request, messageOf(''));
    if (!posted.ok) return posted;
    const threadId = post.threadId ?? null;
    const run = await runs.ask(caller, access.room.id, {
      prompt: PROMPT,
      messageId: id,
      threadId,
      private: false,
      sinceSeq,
    });
    // The message is posted, so the refusal becomes part of it.
    if (!run.ok) await posts.changeCard(id, () => accepted(messageOf(`: ${run.reason}`)));
    return posted;
  },
};
