import DOMPurify from 'dompurify';
import type { Clock } from '../shared/clock.ts';
import { copyButton } from '../shared/copy-button.ts';
import { h } from '../shared/dom.ts';
import { isPlainText, markdownToHtml } from './markdown.ts';
import type { Message } from './wire.ts';

const ALLOWED = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'a', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'target', 'rel', 'class', 'start', 'data-language', 'tabindex', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  // Of these, too, it would want the form of an address.
  ADD_URI_SAFE_ATTR: ['target', 'rel', 'class', 'start', 'data-language', 'tabindex', 'align'],
  RETURN_DOM_FRAGMENT: true as const,
};

export interface BodyContext {
  readonly clock: Clock;
  readonly userId: string;
  /** Whether `@name` calls somebody here. */
  readonly isMentionable: (name: string) => boolean;
}

/** A message's words as nodes. */
export function renderBody({ body, format }: Pick<Message, 'body' | 'format'>, context: BodyContext): DocumentFragment {
  const fragment = document.createDocumentFragment();
  if (format === 'plain') {
    fragment.append(h('p', { class: 'plain' }, body));
    return fragment;
  }
  if (isPlainText(body)) {
    fragment.append(h('p', {}, body));
    return fragment;
  }
  const clean = DOMPurify.sanitize(markdownToHtml(body), ALLOWED);
  for (const pre of clean.querySelectorAll('pre')) dressCode(pre, context.clock);
  for (const table of clean.querySelectorAll('table')) {
    const frame = h('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' });
    table.replaceWith(frame);
    frame.append(table);
  }
  markMentions(clean, context);
  fragment.append(clean);
  return fragment;
}

function dressCode(pre: HTMLPreElement, clock: Clock): void {
  const frame = h('div', { class: 'code-block' });
  pre.replaceWith(frame);
  const text = pre.textContent ?? '';
  const language = pre.dataset.language ?? '';
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', language === '' ? 'Code' : `Code, ${language}`);
  frame.append(
    pre,
    copyButton(clock, 'the code', () => text),
  );
}

const MENTION = /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,63})/gu;

function markMentions(root: DocumentFragment, { userId, isMentionable }: BodyContext): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (text.data.includes('@') && !text.parentElement?.closest('code, pre, a')) found.push(text);
  }
  for (const text of found) {
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

/** The first words of a message, without signs of Markdown, in one line. */
export function summaryOf({ body, deleted, attachments, card }: Message, most = 120): string {
  if (deleted) return 'deleted message';
  const title = card && 'title' in card ? String(card.title) : '';
  const words = (title || body)
    .replace(/```[\w-]*\n?|[*`~]|^[>#]+ ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const text = words || attachments.map(({ name }) => name).join(', ');
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}\u2026` : text;
}
