import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import { stateBox } from '../../shared/shell/states.ts';
import { linkTo } from '../root.ts';
import type { Ui } from '../shell/ui.ts';
import { language, t } from '../text/text.ts';
import { recipesOf } from './recipes.ts';

/** Shown in a room without messages: how to post the first one, from anywhere. */
export function emptyRoom({ slug, name }: WireRoom, { clock, api }: Ui): HTMLElement {
  return h(
    'section',
    { class: 'empty' },
    stateBox(t('empty.title', { name }), t('empty.how')),
    recipesOf(slug, linkTo('/'), api.hasSignIn).map(([label, line]) =>
      h(
        'div',
        { class: 'recipe' },
        h('p', {}, t(label)),
        h(
          'div',
          { class: 'recipe-line' },
          h('code', { tabindex: 0 }, line),
          copyButton(clock, t(`${label}.copy`), () => line, language),
        ),
      ),
    ),
  );
}
