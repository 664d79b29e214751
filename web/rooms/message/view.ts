import type { WireFile, WireMessage } from '../../../src/rooms/contract/message.ts';
import type { UserRef } from '../../../src/rooms/domain/user/user.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { OutboxItem } from '../composer/outbox.ts';
import { copilotHandle } from '../copilot/handle.ts';
import type { RoomEntry } from '../room/entry.ts';
import { addressOf } from '../root.ts';
import { pathOfMessage } from '../route.ts';
import { avatar } from '../shell/avatar.ts';
import { printFull, printSize, printTime, timeAgo } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { alertCardOf } from './alert-card.ts';
import { renderAlertCard } from './alert-card-view.ts';
import { renderBody, summaryOf, textOf } from './body.ts';
import { commandCardOf, renderCommandCard } from './command-card.ts';
import type { Row } from './flow-rows.ts';
import { hasReacted } from './list.ts';
import { splitLongText } from './long-text.ts';

const SHOWN_IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;
const kindWords = (kind: UserRef['kind']): string => (kind === 'human' || kind === 'system' ? '' : t(`kind.${kind}`));

/** How a message is shown; in a thread without the link to the thread. */
export interface MessageLook {
  readonly entry: RoomEntry;
  readonly place: 'room' | 'thread';
}

type MessageRow = Extract<Row, { kind: 'message' }>;

/** A message as an article. A message that cannot be drawn is shown as it was typed. */
export function renderMessage(row: MessageRow, look: MessageLook, ui: Ui): HTMLElement {
  try {
    return renderArticle(row, look, ui);
  } catch {
    const { id, author, body, deleted } = row.message;
    const { shown } = splitLongText(deleted ? '' : body);
    return h(
      'article',
      { class: 'message', 'data-id': id, tabindex: -1, 'aria-label': author.name },
      h('div', { class: 'gutter' }),
      h(
        'div',
        { class: 'content' },
        h('header', { class: 'message-head' }, h('span', { class: 'author' }, author.name)),
        h('p', { class: 'soft' }, t('message.broken')),
        h('div', { class: 'body' }, h('p', { class: 'plain' }, shown)),
      ),
    );
  }
}

function renderArticle(row: MessageRow, look: MessageLook, ui: Ui): HTMLElement {
  const { message, isGrouped } = row;
  const { author, type, deleted } = message;
  const at = Date.parse(message.createdAt);
  const { id: me } = ui.model.account;
  const isMention = author.id !== me && (message.mentions.room || message.mentions.users.includes(me));
  // The question of /ask is drawn like any text, and a card in full colours.
  const isDone =
    type === 'command' &&
    message.card !== null &&
    !('command' in message.card && message.card.command === 'ask') &&
    !commandCardOf(message);
  const isQuiet = type === 'system' || isDone;
  return h(
    'article',
    {
      class: `message${isGrouped ? ' grouped' : ''}${isMention ? ' mentions-me' : ''}${isQuiet ? ' quiet' : ''}`,
      id: `${look.place}-${message.id}`,
      'data-id': message.id,
      'data-status': message.status,
      tabindex: -1,
      'aria-label': `${author.name}, ${printFull(at)}`,
    },
    h(
      'div',
      { class: 'gutter' },
      isGrouped
        ? h('time', { class: 'side-time', title: printFull(at), 'aria-hidden': 'true' }, printTime(at))
        : avatar(author),
    ),
    h(
      'div',
      { class: 'content' },
      !isGrouped && head(message, look, at),
      message.pinned && h('p', { class: 'pinned-mark' }, icon('pin'), t('message.pinned')),
      message.replyTo !== null && quote(message.replyTo, look, ui),
      deleted ? h('p', { class: 'deleted' }, t('message.deleted')) : words(message, look, ui),
      !deleted && foot(message, look, ui),
    ),
  );
}

function head({ author, id, edited }: WireMessage, { entry }: MessageLook, at: number): HTMLElement {
  const kind = kindWords(author.kind);
  return h(
    'header',
    { class: 'message-head' },
    h('span', { class: 'author', title: author.id }, author.name),
    kind !== '' && kind.toLowerCase() !== author.name.toLowerCase() && h('span', { class: 'kind' }, kind),
    h(
      'a',
      {
        class: 'time',
        href: pathOfMessage(entry.room.slug, id),
        title: printFull(at),
      },
      h('time', { datetime: new Date(at).toISOString() }, printTime(at)),
    ),
    edited &&
      h(
        'span',
        { class: 'edited', title: t('message.edited-at', { time: printFull(Date.parse(edited.at)) }) },
        t('message.edited'),
      ),
  );
}

function quote(id: string, { entry }: MessageLook, { actions }: Ui): HTMLElement {
  const quoted = entry.list.get(id);
  return h(
    'button',
    { type: 'button', class: 'quote', onclick: () => actions.showMessage(id, entry.room.id) },
    icon('reply'),
    quoted ? [h('strong', {}, quoted.author.name), h('span', {}, summaryOf(quoted))] : t('message.earlier'),
  );
}

function words(message: WireMessage, look: MessageLook, ui: Ui): Child[] {
  const card = alertCardOf(message);
  if (card) return [renderAlertCard(message, card, ui)];
  const command = commandCardOf(message);
  if (command)
    return [renderCommandCard(message, command, bodyOf(message, look, ui), ui), ...message.attachments.map(renderFile)];
  const isStreaming = message.status === 'streaming';
  return [
    (message.body !== '' || isStreaming) &&
      h('div', { class: `body${isStreaming ? ' streaming' : ''}` }, bodyOf(message, look, ui)),
    ...message.attachments.map(renderFile),
    message.run && runLine(message, look.place, ui),
  ];
}

/** Updates the text of a message that is being written; the rest of its article stays. */
export function rewriteBody(article: HTMLElement, message: WireMessage, look: MessageLook, ui: Ui): void {
  article.querySelector('.body')?.replaceChildren(bodyOf(message, look, ui));
}

function bodyOf(message: WireMessage, { entry }: MessageLook, ui: Ui): Node {
  const streamed = message.status === 'streaming' ? entry.streaming.get(message.id)?.text : undefined;
  const body = streamed ?? textOf(message);
  const context = {
    clock: ui.clock,
    userId: ui.model.account.id,
    // A mention in a copilot's text notifies nobody.
    isMentionable: (name: string) =>
      message.author.kind !== 'copilot' &&
      (name === 'all' || name === 'oncall' || entry.members.has(name) || name === copilotHandle(entry)),
  };
  return body === ''
    ? h('p', { class: 'soft' }, t('message.thinking'))
    : renderBody({ body, format: message.format, isGrowing: streamed !== undefined }, context);
}

export function renderFile({ id, name, size, contentType, width, height }: WireFile): HTMLElement {
  const href = addressOf(`/api/file/${id}`);
  if (SHOWN_IMAGES.test(contentType)) {
    // With a known size the page does not move when it loads.
    const box = width && height ? { width, height } : {};
    return h(
      'a',
      { class: 'picture', href, target: '_blank', rel: 'noopener' },
      h('img', { src: href, alt: name, loading: 'lazy', ...box }),
    );
  }
  return h(
    'a',
    { class: 'file', href, download: name },
    icon('file'),
    h('span', { class: 'file-name' }, name),
    h('span', { class: 'soft' }, printSize(size)),
  );
}

function runLine(message: WireMessage, place: string, { actions }: Ui): HTMLElement {
  const { run, status } = message;
  const button = (name: 'stop' | 'refresh' | 'eye', label: string, action: () => void) =>
    h('button', { type: 'button', class: 'quiet run-button', onclick: action }, icon(name), label);
  const failure =
    status === 'failed' ? (run?.error?.message ?? t('run.failed')) : status === 'cancelled' ? t('run.stopped') : '';
  return h(
    'p',
    { class: 'run-line', 'data-place': place },
    failure !== '' && h('span', { class: 'run-failure' }, icon('warning'), failure),
    status === 'streaming' && button('stop', t('run.stop'), () => actions.stopRun(message)),
    (status === 'failed' || status === 'cancelled') &&
      button('refresh', t('run.retry'), () => actions.retryRun(message)),
    status !== 'streaming' && button('eye', t('run.saw'), () => actions.showSaw(message)),
    status === 'complete' && run?.model ? h('span', { class: 'soft' }, run.model) : false,
  );
}

function foot(message: WireMessage, { entry, place }: MessageLook, { actions, model, clock }: Ui): Child[] {
  const { reactions, thread } = message;
  const nameOf = (id: string) => entry.members.get(id)?.user.name ?? id;
  return [
    reactions.length > 0 &&
      h(
        'div',
        { class: 'reactions' },
        reactions.map((reaction) => {
          const isMine = hasReacted(reaction, model.account.id);
          const who = reaction.userIds.map(nameOf).join(', ');
          return h(
            'button',
            {
              type: 'button',
              class: 'reaction',
              'aria-pressed': isMine ? 'true' : 'false',
              title: who,
              'aria-label': `${reaction.emoji} ${reaction.count}, ${who}`,
              onclick: () => actions.react(message, reaction.emoji),
            },
            h('span', {}, reaction.emoji),
            h('span', { class: 'count' }, reaction.count),
          );
        }),
      ),
    thread &&
      place === 'room' &&
      h(
        'button',
        { type: 'button', class: 'thread-link', onclick: () => actions.openThread(message.id) },
        thread.participants.slice(-3).map((id) =>
          avatar(
            {
              id,
              name: nameOf(id),
              kind: entry.members.get(id)?.user.kind ?? (id.startsWith('copilot:') ? 'copilot' : 'human'),
            },
            'small',
          ),
        ),
        h('strong', {}, t('message.replies', { n: thread.replies })),
        h('span', { class: 'soft' }, timeAgo(thread.lastReplyAt, clock.now())),
      ),
  ];
}

/** A message that is still being sent. */
export function renderPending(item: OutboxItem, isGrouped: boolean, look: MessageLook, ui: Ui): HTMLElement {
  const { account } = ui.model;
  const context = {
    clock: ui.clock,
    userId: account.id,
    isMentionable: (name: string) => look.entry.members.has(name),
  };
  const state = item.state === 'failed' ? 'failed' : 'pending';
  return h(
    'article',
    {
      class: `message ${state}${isGrouped ? ' grouped' : ''}`,
      'data-id': item.id,
      tabindex: -1,
      'aria-label': t(state === 'failed' ? 'message.state.failed' : 'message.state.sending', { name: account.name }),
    },
    h('div', { class: 'gutter' }, !isGrouped && avatar(account)),
    h(
      'div',
      { class: 'content' },
      !isGrouped &&
        h(
          'header',
          { class: 'message-head' },
          h('span', { class: 'author' }, account.name),
          h('span', { class: 'time', title: printFull(item.createdAt) }, printTime(item.createdAt)),
        ),
      h('div', { class: 'body' }, renderBody({ body: item.body, format: 'markdown' }, context)),
      item.attachments.map(renderFile),
      item.state === 'failed'
        ? h(
            'p',
            { class: 'send-failure', role: 'alert' },
            icon('warning'),
            h('span', {}, t('message.not-sent', { reason: item.reason })),
            h(
              'button',
              { type: 'button', class: 'quiet', onclick: () => ui.actions.editSend(item.id) },
              t('tools.edit'),
            ),
            h(
              'button',
              { type: 'button', class: 'quiet', onclick: () => ui.actions.retrySend(item.id) },
              t('message.again'),
            ),
            h(
              'button',
              { type: 'button', class: 'quiet', onclick: () => ui.actions.discardSend(item.id) },
              t('message.discard'),
            ),
          )
        : h('p', { class: 'send-state' }, t(`message.${item.state}`)),
    ),
  );
}
