import { readMoment } from '../domain/command/moment.ts';
import { accepted } from '../domain/refusal.ts';
import { decideDuty, onCallOf } from '../domain/room/duty.ts';
import type { Duty } from '../domain/room/room.ts';
import { printEnd } from './alert-text.ts';
import { cardOf, notice, refuseArguments, requireScope, type SlashCommand } from './command.ts';

/** The argument: the user to put on call, `null` for nobody, `undefined` to ask who it is. */
export const oncall: SlashCommand<Duty | null | undefined> = {
  name: 'oncall',
  help: '/oncall @ana [until 18:00] — puts ana on call, whom @oncall then mentions; /oncall off; /oncall shows who it is',
  hint: '@ana until 18:00: puts ana on call, whom @oncall mentions',
  read({ rest }, now) {
    const [name = '', ...time] = rest.split(/\s+/).filter((word) => word !== '');
    if (name === '') return accepted(undefined);
    if (name === 'off' && time.length === 0) return accepted(null);
    const userId = /^@?([a-z0-9][a-z0-9._-]{0,63})$/.exec(name.toLowerCase())?.[1];
    if (userId === undefined) return refuseArguments(oncall, 'name a member of the room, such as @ana');
    if (time.length === 0) return accepted({ userId, until: null });
    const until = readMoment(time, now);
    if (until === undefined || until === 'past' || until.words < time.length)
      return refuseArguments(oncall, 'say until when: 8h, until 18:00 (UTC), tomorrow 8am');
    return accepted({ userId, until: until.at });
  },
  run(request, duty, { posts, state, clock }) {
    const { caller, access } = request;
    if (duty === undefined) {
      const current = onCallOf(state, access.room.id, clock.now());
      const until = state.get('duty', access.room.id)?.until ?? null;
      const end = until === null ? '' : ` until ${printEnd(until)}`;
      return notice(current === undefined ? 'nobody is on call here; /oncall @ana' : `@${current} is on call${end}`);
    }
    const refusal = requireScope(caller, 'manage');
    if (refusal) return refusal;
    const end = duty?.until ? ` until ${printEnd(duty.until)}` : '';
    const body = duty ? `@${duty.userId} is on call${end}` : 'nobody is on call any more';
    const message = { body, card: { ...cardOf(request, 'oncall'), title: 'On call' } };
    return posts.post(request, message, (view) => decideDuty(view, caller, access, duty, printEnd));
  },
};
