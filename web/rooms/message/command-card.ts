import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { CardPoll, CommandAlerts, CommandCard } from '../../../src/rooms/domain/card/command-card.ts';
import { type Child, h } from '../../shared/dom.ts';
import { dayOf, printDay, printFull, printLength, printTime } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { cardWords } from '../text/server-words.ts';
import { t, withElement } from '../text/text.ts';

const TITLES: Readonly<Record<string, string>> = { silence: 'Silence', alerts: 'Alerts' };

/** The card of a command that shows more than a line: it has a heading. A question to the copilot is drawn like any text. */
export function commandCardOf({ type, card }: WireMessage): (CommandCard & { readonly title: string }) | undefined {
  if (type !== 'command' || card?.kind !== 'command' || card.command === 'ask') return undefined;
  const command = card as unknown as CommandCard;
  // Cards of earlier versions had no heading.
  const title = command.title ?? TITLES[command.command];
  return typeof title === 'string' ? { ...command, title: cardWords(title) } : undefined;
}

/** The result of a command. `body`: the text of its message, shown by cards without a view of their own. */
export function renderCommandCard(
  message: WireMessage,
  card: CommandCard & { readonly title: string },
  body: Child,
  ui: Ui,
): HTMLElement {
  const now = ui.clock.now();
  const liveUntil = Date.parse(card.liveUntil ?? '');
  return h(
    'div',
    { class: 'command-card', role: 'group', 'aria-label': card.title, 'data-command': card.command },
    h(
      'div',
      { class: 'command-head' },
      h('strong', {}, card.title),
      liveUntil > now && h('span', { class: 'soft' }, t('card.live-until', { time: printTime(liveUntil) })),
    ),
    card.silence ? silenceView(card.silence, now) : false,
    card.poll ? pollView(message, card.poll, ui) : false,
    card.alerts ? alertsView(card.alerts, card.silence ? 'card.matched' : 'card.alerts') : false,
    card.silence || card.poll || card.alerts ? false : h('div', { class: 'body' }, body),
    buttons(message, card, ui),
  );
}

function silenceView(silence: NonNullable<CommandCard['silence']>, now: number): Child[] {
  const { matchers, endsAt, endedBy, comment } = silence;
  const end = Date.parse(endsAt);
  const isOver = endedBy !== undefined || end <= now;
  const when = { time: printTime(end), day: printDay(end, now) };
  const until = t(dayOf(end) === dayOf(now) ? 'card.until' : 'card.until-day', when);
  return [
    h(
      'ul',
      { class: 'alert-labels', 'aria-label': t('card.matchers') },
      matchers.map((matcher) => h('li', {}, matcher)),
    ),
    comment !== '' && h('p', { class: 'command-comment' }, comment),
    h(
      'p',
      { class: 'alert-facts' },
      h(
        'span',
        { title: printFull(end) },
        endedBy !== undefined ? t('card.ended-by', { name: endedBy }) : isOver ? t('card.ended', { until }) : until,
      ),
      !isOver &&
        h('span', {}, withElement('card.left', 'left', h('span', { 'data-until': endsAt }, printLength(end - now)))),
    ),
  ];
}

function alertsView({ count, newlySilenced, listed }: CommandAlerts, key: 'card.alerts' | 'card.matched'): HTMLElement {
  const words = count === 0 ? t(`${key}.none`) : t(key, { n: count });
  const newly = newlySilenced === undefined || count === 0 ? '' : `, ${t('card.newly', { n: newlySilenced })}`;
  const rows = listed.map(({ labels, summary }) => {
    const { alertname = '', ...others } = labels;
    const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return h(
      'li',
      {},
      h('strong', {}, alertname),
      ' ',
      h('span', { class: 'code' }, rest.join(' ')),
      summary !== '' && h('span', { class: 'command-summary' }, summary),
    );
  });
  const more = count > listed.length && h('li', { class: 'soft' }, t('alert.and-more', { n: count - listed.length }));
  return h('div', { class: 'command-alerts' }, h('p', {}, words + newly), rows.length > 0 && h('ul', {}, rows, more));
}

/** Each answer is a button with a bar behind it; an answer of the user is pressed. */
function pollView(message: WireMessage, { question, options, closed }: CardPoll, { actions, model }: Ui): Child[] {
  const votes = options.reduce((sum, { voters }) => sum + voters.length, 0);
  const members = model.entry(message.roomId)?.members;
  const nameOf = (id: string) => members?.get(id)?.user.name ?? id;
  const rows = options.map(({ text, voters }, index) => {
    const isMine = voters.includes(model.account.id);
    const percent = votes === 0 ? 0 : Math.round((voters.length / votes) * 100);
    const who = voters.map(nameOf).join(', ');
    const vote = h(
      'button',
      {
        type: 'button',
        class: 'poll-answer',
        'aria-pressed': isMine ? 'true' : 'false',
        'aria-label': `${text} ${voters.length}${who === '' ? '' : `, ${who}`}`,
        title: who,
        disabled: closed,
        onclick: () => actions.press(message, `vote-${index + 1}`),
      },
      h('span', { class: 'poll-bar' }),
      h('span', { class: 'poll-text' }, text),
      ' ',
      h('span', { class: 'count' }, voters.length),
    );
    // The style attribute is refused by the page's policy; the property is not.
    vote.style.setProperty('--share', `${percent}%`);
    return h('li', {}, vote);
  });
  const facts = t('poll.votes', { n: votes }) + (closed ? `, ${t('poll.closed')}` : '');
  return [
    h('p', { class: 'poll-question' }, question),
    h('ul', { class: 'poll-answers' }, rows),
    h('p', { class: 'alert-facts' }, facts),
  ];
}

function buttons(message: WireMessage, { actions = [], poll }: CommandCard, ui: Ui): HTMLElement | false {
  const now = ui.clock.now();
  const shown = actions.filter(
    ({ name, until }) => !(poll && name.startsWith('vote-')) && (until === undefined || Date.parse(until) > now),
  );
  if (shown.length === 0) return false;
  return h(
    'div',
    { class: 'alert-actions' },
    shown.map(({ name, label }) =>
      h('button', { type: 'button', class: 'small', onclick: () => ui.actions.press(message, name) }, cardWords(label)),
    ),
  );
}
