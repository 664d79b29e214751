import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import { linkTo } from '../root.ts';
import type { Ui } from '../shell/ui.ts';

/** Shown in a room without messages: how to post the first one, from anywhere. */
export function emptyRoom({ slug, name }: WireRoom, { clock }: Ui): HTMLElement {
  const lines = [
    ['From a terminal', `opsdeck rooms say ${slug} "hello"`],
    ['From a build', `make test 2>&1 | opsdeck rooms say ${slug} --code`],
    [
      'From anything that speaks HTTP',
      `curl -H 'Content-Type: text/plain' -d 'deploy done' ${linkTo(`/api/room/${slug}/message`)}`,
    ],
  ] as const;
  return h(
    'section',
    { class: 'empty' },
    h('h2', {}, `Nothing said in ${name} yet`),
    h('p', { class: 'soft' }, 'Write the first message below, or send one from where you work:'),
    lines.map(([label, line]) =>
      h(
        'div',
        { class: 'recipe' },
        h('p', {}, label),
        h(
          'div',
          { class: 'recipe-line' },
          h('code', { tabindex: 0 }, line),
          copyButton(clock, `the line for ${label.toLowerCase()}`, () => line),
        ),
      ),
    ),
  );
}
