import type { UserRef } from '../../../src/rooms/domain/user/user.ts';
import { h } from '../../shared/dom.ts';
import { icon } from './icons.ts';

const TONES = 8;

/** The same tone for the same user, everywhere. */
export function toneOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return ((hash ^ (hash >>> 13)) >>> 3) % TONES;
}

export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '');
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0] ?? '?'];
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** An icon of a user or bot, hidden from screen readers since the name is beside it. */
export function avatar({ id, name, kind }: UserRef, size: 'large' | 'small' = 'large'): HTMLElement {
  const sign =
    kind === 'copilot'
      ? icon('spark')
      : kind === 'bridge' || kind === 'system'
        ? icon('bell')
        : [...initialsOf(name)].slice(0, size === 'small' ? 1 : 2).join('');
  return h(
    'span',
    { class: `avatar ${size}`, 'data-tone': toneOf(id), 'data-kind': kind, 'aria-hidden': 'true' },
    sign,
  );
}
