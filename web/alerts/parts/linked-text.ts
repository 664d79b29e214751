import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { splitLinks } from './text-links.ts';

/** Text with its web addresses as links. */
export function linkedText(text: string): Child[] {
  return splitLinks(text).map((part) =>
    part.href ? h('a', { href: part.href, rel: 'noopener noreferrer', target: '_blank' }, part.text) : part.text,
  );
}

/** A link to another program, in a tab of its own. */
export function externalLink(href: string, text: string): HTMLElement {
  return h('a', { class: 'external', href, rel: 'noopener noreferrer', target: '_blank' }, text);
}
