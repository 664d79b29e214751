import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import { linkTo } from '../root.ts';
import type { Ui } from '../shell/ui.ts';
import { copyWords, t } from '../text/text.ts';

/** Shown in a room without messages: how to post the first one, from anywhere. */
export function emptyRoom({ slug, name }: WireRoom, { clock }: Ui): HTMLElement {
  const lines = [
    ['empty.terminal', `opsdeck rooms say ${slug} "hello"`],
    ['empty.build', `make test 2>&1 | opsdeck rooms say ${slug} --code`],
    ['empty.http', `curl -H 'Content-Type: text/plain' -d 'deploy done' ${linkTo(`/api/room/${slug}/message`)}`],
  ] as const;
  return h(
    'section',
    { class: 'empty' },
    h('h2', {}, t('empty.title', { name })),
    h('p', { class: 'soft' }, t('empty.how')),
    lines.map(([label, line]) =>
      h(
        'div',
        { class: 'recipe' },
        h('p', {}, t(label)),
        h(
          'div',
          { class: 'recipe-line' },
          h('code', { tabindex: 0 }, line),
          copyButton(clock, t(`${label}.copy`), () => line, copyWords()),
        ),
      ),
    ),
  );
}
