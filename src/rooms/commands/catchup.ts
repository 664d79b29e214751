import type { RoomAccess } from '../domain/access.ts';
import { MAX_LENGTH_MS, readLength } from '../domain/command/arguments.ts';
import { accepted } from '../domain/refusal.ts';
import type { RoomStore } from '../store/store.ts';
import { notice, refuseArguments, type SlashCommand } from './command.ts';

const ALL_READ = 'you have read everything here; /catchup 2h sums up the last two hours';
const PROMPT =
  'I was away. Sum up for me what was said, the most important first: what was decided, what is still open, and what asks for me.';
/** Only the last messages of a room are searched for the beginning of a time. */
const MAX_SUMMED_UP = 200;

/** The argument: since when, in epoch milliseconds; `null`: since the last message that the caller has read. */
export const catchup: SlashCommand<number | null> = {
  name: 'catchup',
  help: '/catchup [2h] — your private copilot sums up what you have not read, or the last two hours',
  hint: 'your private copilot sums up what is new; add 2h for the last two hours',
  read(line, now) {
    const rest = line.rest.trim();
    if (rest === '') return accepted(null);
    const ms = readLength(rest);
    if (!ms || ms > MAX_LENGTH_MS) return refuseArguments(catchup, 'say how far back: 30m, 2h, 1d');
    return accepted(now - ms);
  },
  async run({ caller, access }, sinceAt, { state, store, runs }) {
    const { room, member, afterSeq } = access;
    const { lastSeq } = state.head(room.id);
    let sinceSeq = member?.lastReadSeq ?? afterSeq;
    if (sinceAt !== null) sinceSeq = await seqBefore(store, access, sinceAt, lastSeq);
    if (sinceSeq >= lastSeq) return notice(sinceAt === null ? ALL_READ : 'nothing was said in that time');
    const run = await runs.ask(caller, room.id, { prompt: PROMPT, private: true, sinceSeq });
    return run.ok ? notice('it is being summed up; only you will see it') : run;
  },
};

/** The sequence number before the first message since `sinceAt`; `lastSeq`: nothing was said since. */
export async function seqBefore(
  store: Pick<RoomStore, 'page'>,
  { room, afterSeq }: RoomAccess,
  sinceAt: number,
  lastSeq: number,
): Promise<number> {
  const { messages } = await store.page({ roomId: room.id, limit: MAX_SUMMED_UP, afterSeq });
  return (messages.find(({ message }) => message.createdAt >= sinceAt)?.message.seq ?? lastSeq + 1) - 1;
}
