import type { HubEntry } from '../../src/hub/contract.ts';
import { browserClock } from '../shared/clock.ts';
import { copyButton } from '../shared/copy-button.ts';
import { h } from '../shared/dom.ts';
import { Poller } from '../shared/poller.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import { linkOf, parseServers } from './server-list.ts';

const REFRESH_MS = 10_000;

function serverCard({ title, description, url, status, example }: HubEntry): HTMLElement {
  const href = linkOf(url, location.hostname);
  return h(
    'section',
    { class: 'server', 'aria-label': title },
    h(
      'div',
      { class: 'server-head' },
      h('h2', {}, h('a', { href }, title)),
      status !== '' && h('span', { class: 'status', 'data-state': status }, status),
    ),
    description !== '' && h('p', { class: 'description' }, description),
    h('p', { class: 'address' }, h('code', {}, href)),
    example !== '' &&
      h(
        'div',
        { class: 'example' },
        h('pre', {}, example),
        copyButton(browserClock, `the example for ${title}`, () => example),
      ),
  );
}

function message(title: string, text: string, retry?: () => void): HTMLElement {
  return h(
    'div',
    { class: 'message', role: 'status' },
    h('h2', {}, title),
    h('p', {}, text),
    retry && h('button', { type: 'button', onclick: retry }, 'Try again'),
  );
}

/** Shows the servers and updates them on changes. */
function start(place: HTMLElement): void {
  let shown = '';
  const show = (signature: string, draw: () => readonly Node[]) => {
    place.removeAttribute('aria-busy');
    if (signature === shown) return;
    shown = signature;
    place.replaceChildren(...draw());
  };
  const load = async (signal: AbortSignal) => {
    let text: string;
    try {
      const response = await fetch('servers.json', { signal });
      text = response.ok ? await response.text() : '';
    } catch {
      text = '';
    }
    if (signal.aborted) return;
    const servers = parseServers(text);
    if (servers && servers.length > 0) show(text, () => servers.map(serverCard));
    else if (servers) show('none', () => [message('No server runs.', 'Start them all with: opsdeck up')]);
    else
      show('lost', () => [
        message(
          'The hub does not answer.',
          'It may have been stopped. Start it again with: opsdeck up',
          () => void poller.refresh(),
        ),
      ]);
  };
  const poller = new Poller({
    clock: browserClock,
    visibility: tabVisibility,
    intervalMs: () => REFRESH_MS,
    run: load,
  });
  void poller.refresh();
}

const place = document.getElementById('servers');
if (place) start(place);
