import { h } from '../../shared/dom.ts';
import { t } from '../text/text.ts';
import { findEmoji } from './completion.ts';

/** Asks for an emoji beside an element; `undefined` when none was chosen. */
export function chooseEmoji(near: HTMLElement): Promise<string | undefined> {
  return new Promise((resolve) => {
    const field = h('input', {
      type: 'text',
      class: 'emoji-filter',
      placeholder: t('emoji.find'),
      'aria-label': t('emoji.find'),
      autocomplete: 'off',
    });
    const grid = h('div', { class: 'emoji-grid' });
    const dialog = h('dialog', { class: 'popover emoji-picker', 'aria-label': t('emoji.choose') }, field, grid);
    let chosen: string | undefined;
    const choose = (sign: string) => {
      chosen = sign;
      dialog.close();
    };
    const show = () => {
      const found = findEmoji(field.value);
      grid.replaceChildren(
        ...found.map(([sign, names]) =>
          h(
            'button',
            {
              type: 'button',
              class: 'emoji',
              title: names[0] ?? '',
              'aria-label': names[0] ?? sign,
              onclick: () => choose(sign),
            },
            sign,
          ),
        ),
      );
      if (found.length === 0) grid.append(h('p', { class: 'soft' }, t('emoji.none')));
    };
    field.addEventListener('input', show);
    field.addEventListener('keydown', (event) => {
      const [first] = findEmoji(field.value);
      if (event.key === 'Enter' && first) choose(first[0]);
    });
    grid.addEventListener('keydown', (event) => moveInGrid(grid, event));
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    show();
    document.body.append(dialog);
    dialog.showModal();
    placeNear(dialog, near.getBoundingClientRect());
    field.focus();
  });
}

const COLUMNS = 8;

function moveInGrid(grid: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[event.key];
  if (step === undefined) return;
  const buttons = [...grid.querySelectorAll('button')];
  const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The nearest position at which the whole picker is visible. */
function placeNear(dialog: HTMLDialogElement, { left, right, top, bottom }: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = dialog;
  const x = Math.max(8, Math.min(right - width, innerWidth - width - 8, Math.max(left, right - width)));
  const y = bottom + height + 8 < innerHeight ? bottom + 4 : Math.max(8, top - height - 4);
  dialog.style.left = `${x}px`;
  dialog.style.top = `${y}px`;
}
