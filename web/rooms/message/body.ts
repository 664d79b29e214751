import DOMPurify from 'dompurify';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { CommandCard } from '../../../src/rooms/domain/card/command-card.ts';
import type { Clock } from '../../shared/clock.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import { RecentFragments } from '../live/recent-fragments.ts';
import { withLocalTimes } from '../shell/time-text.ts';
import { cardWords, resultWords } from '../text/server-words.ts';
import { language as pageLanguage, t } from '../text/text.ts';
import { highlight } from './code/highlight.ts';
import { withEmoji } from './emoji-codes.ts';
import { splitLongText } from './long-text.ts';
import { isPlainText, markdownToHtml } from './markdown.ts';

const ALLOWED = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'a', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'start', 'data-language', 'tabindex', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  // Otherwise it would require these to be URLs as well.
  ADD_URI_SAFE_ATTR: ['target', 'rel', 'class', 'start', 'data-language', 'tabindex', 'align'],
  RETURN_DOM_FRAGMENT: true as const,
};

export interface BodyContext {
  readonly clock: Clock;
  readonly userId: string;
  /** Whether `@name` is somebody in the room. */
  readonly isMentionable: (name: string) => boolean;
}

/** Rows are redrawn on scrolling and when members change, while their texts stay the same. */
const sanitized = new RecentFragments<DocumentFragment>(500_000);

export interface MessageText extends Pick<WireMessage, 'body' | 'format'> {
  /** The text is still being written, so the result is not cached. */
  readonly isGrowing?: boolean;
}

/** The text of a message as nodes; the end of a long one is hidden until the user asks for it. */
export function renderBody({ body, format, isGrowing = false }: MessageText, context: BodyContext): DocumentFragment {
  const { shown, rest } = splitLongText(body);
  const fragment = document.createDocumentFragment();
  if (format === 'plain') fragment.append(asTyped(shown));
  else if (isPlainText(shown)) fragment.append(h('p', {}, withEmoji(shown)));
  else fragment.append(renderMarkdown(shown, isGrowing && rest === '', context));
  if (rest !== '') fragment.append(restOf(rest));
  return fragment;
}

const asTyped = (text: string): HTMLElement => h('p', { class: 'plain' }, text);

function renderMarkdown(text: string, isGrowing: boolean, context: BodyContext): DocumentFragment {
  const clean = read(text, isGrowing);
  for (const pre of clean.querySelectorAll('pre')) dressCode(pre, context.clock);
  for (const table of clean.querySelectorAll('table')) {
    const frame = h('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': t('message.table') });
    table.replaceWith(frame);
    frame.append(table);
  }
  markMentions(clean, context);
  return clean;
}

/** The nodes of a Markdown text, without what depends on the room. */
function read(text: string, isGrowing: boolean): DocumentFragment {
  const clean = sanitized.get(text) ?? sanitize(text);
  if (!isGrowing) sanitized.keep(text, clean);
  return clean;
}

function sanitize(text: string): DocumentFragment {
  const html = markdownToHtml(text);
  if (html !== undefined) {
    const clean = DOMPurify.sanitize(html, ALLOWED);
    for (const node of proseOf(clean, ':')) node.data = withEmoji(node.data);
    for (const code of clean.querySelectorAll<HTMLElement>('pre[data-language] > code')) markCode(code);
    return clean;
  }
  const fragment = document.createDocumentFragment();
  fragment.append(asTyped(text));
  return fragment;
}

function markCode(code: HTMLElement): void {
  const pieces = highlight(code.textContent ?? '', code.parentElement?.dataset.language ?? '');
  code.replaceChildren(...pieces.map(({ text, kind }) => (kind ? h('span', { class: `code-${kind}` }, text) : text)));
}

/** The texts outside code and links that contain a sign. */
function proseOf(root: DocumentFragment, sign: string): readonly Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (text.data.includes(sign) && !text.parentElement?.closest('code, pre, a')) found.push(text);
  }
  return found;
}

const BLOCKS = 'p, br, li, td, th, pre, blockquote, hr';

/** The text of a message as a reader sees it, in one line; without the end of a long one. */
export function plainTextOf({ body, format }: MessageText): string {
  const { shown } = splitLongText(body);
  if (format === 'plain') return shown.replace(/\s+/g, ' ');
  if (isPlainText(shown)) return withEmoji(shown);
  const walker = document.createTreeWalker(read(shown, false), NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let text = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node instanceof Text) text += node.data;
    else if ((node as Element).matches(BLOCKS)) text += ' ';
  return text.replace(/\s+/g, ' ').trim();
}

function restOf(text: string): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      onclick: () => {
        const rest = asTyped(text);
        rest.tabIndex = -1;
        button.replaceWith(rest);
        rest.focus({ preventScroll: true });
      },
    },
    t('message.rest', { n: text.length }),
  );
  return button;
}

function dressCode(pre: HTMLPreElement, clock: Clock): void {
  const frame = h('div', { class: 'code-block' });
  pre.replaceWith(frame);
  const text = pre.textContent ?? '';
  const language = pre.dataset.language ?? '';
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', language === '' ? t('message.code') : t('message.code-of', { language }));
  frame.append(
    pre,
    copyButton(clock, t('message.copy-code'), () => text, pageLanguage),
  );
}

const MENTION = /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63})/gu;

function markMentions(root: DocumentFragment, { userId, isMentionable }: BodyContext): void {
  for (const text of proseOf(root, '@')) {
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const match of text.data.matchAll(MENTION)) {
      const name = (match[1] ?? '').toLowerCase().replace(/[._-]+$/, '');
      if (!isMentionable(name)) continue;
      const end = match.index + 1 + name.length;
      const isMe = name === userId || name === 'all';
      parts.push(
        text.data.slice(from, match.index),
        h('span', { class: isMe ? 'mention me' : 'mention' }, text.data.slice(match.index, end)),
      );
      from = end;
    }
    if (parts.length > 0) text.replaceWith(...parts.filter((part) => part !== ''), text.data.slice(from));
  }
}

/** The text of a message; that of a command in the language and the time zone of the page. */
export function textOf({ type, card, body }: Pick<WireMessage, 'type' | 'card' | 'body'>): string {
  if (type !== 'command') return body;
  return withLocalTimes(card?.kind === 'command' ? resultWords(card as unknown as CommandCard, body) : body);
}

/** The beginning of a message without Markdown, in one line. */
export function summaryOf(message: WireMessage, most = 120): string {
  const { deleted, attachments, card, type } = message;
  if (deleted) return t('message.deleted.short');
  const title = card && 'title' in card && typeof card.title === 'string' ? card.title : '';
  const words = ((type === 'command' ? cardWords(title) : title) || textOf(message))
    .slice(0, 10 * most)
    .replace(/!?\[([^[\]\n]{1,200})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(/```[\w-]*\n?|[*`~]|^[>#]+ ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const text = withEmoji(words) || attachments.map(({ name }) => name).join(', ');
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}\u2026` : text;
}
