import type { ChangeRow, FlagDetails } from '../../../src/relay/contract/page.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { PageContext, Shown } from '../page.ts';
import { changeList } from '../parts/change-list.ts';
import { countsPanel } from './counts.ts';
import { Definition } from './definition.ts';
import { rulesPanel } from './rules.ts';
import { SwitchPanel } from './switch-panel.ts';
import { TryPanel } from './try-panel.ts';

/** Everything about one flag. Parts with input stay while the others are drawn anew. */
export class Details {
  readonly element: HTMLElement;
  readonly key: string;
  readonly environment: string;
  readonly #context: PageContext;
  readonly #title = h('div', { class: 'details-title' });
  readonly #facts = h('div', {});
  readonly #rules = h('div', {});
  readonly #counts = h('div', {});
  readonly #changes = h('div', {});
  readonly #switch: SwitchPanel;
  readonly #definition: Definition;
  readonly #drawn = new Map<HTMLElement, string>();

  constructor(context: PageContext, details: FlagDetails, shown: Shown) {
    const { t } = context.ui;
    this.#context = context;
    this.key = details.key;
    this.environment = details.environment;
    this.#switch = new SwitchPanel(context, details);
    this.#definition = new Definition(context, details);
    const section = (title: string, ...content: readonly Child[]) =>
      h('section', { class: 'part', 'aria-label': title }, h('h2', {}, title), content);
    this.element = h(
      'article',
      { class: 'details', 'aria-labelledby': 'flag-title' },
      h('div', { class: 'details-head' }, this.#title, this.#switch.element),
      this.#facts,
      h(
        'div',
        { class: 'details-body' },
        h(
          'div',
          {},
          section(t('rules'), this.#rules),
          section(t('try'), new TryPanel(context, details.environment, details.key).element),
        ),
        h(
          'div',
          {},
          section(t('counts.title'), this.#counts),
          section(t('changes'), this.#changes),
          section(t('source.title'), this.#definition.element),
        ),
      ),
    );
    this.update(details, shown);
  }

  update(details: FlagDetails, { environment }: Shown): void {
    const { ui, hashOf } = this.#context;
    this.#switch.update(details);
    this.#definition.update(details);
    this.#draw(this.#title, details.flag.on, () => this.#createTitle(details));
    this.#draw(this.#facts, { ...details, counts: [] }, () => this.#createFacts(details));
    this.#draw(this.#rules, [details.json, details.required], () => rulesPanel(ui, details, hashOf));
    const areOff = environment.events.mode === 'off';
    this.#draw(this.#counts, [details.json, details.counts, areOff], () => countsPanel(ui, details, areOff));
    const own = environment.changes.filter(({ kind, key }) => kind === 'flags' && key === details.key);
    this.#draw(this.#changes, own, () => this.#createChanges(own, environment.since));
  }

  /** Draws a part if what it shows has changed. */
  #draw(place: HTMLElement, content: unknown, create: () => HTMLElement): void {
    const signature = JSON.stringify(content);
    if (this.#drawn.get(place) === signature) return;
    this.#drawn.set(place, signature);
    place.replaceChildren(create());
  }

  #createTitle({ key, flag }: FlagDetails): HTMLElement {
    const { ui, hashOf } = this.#context;
    const { t } = ui;
    return h(
      'div',
      {},
      h('a', { class: 'back', href: hashOf(), 'aria-label': t('close') }, icon('left')),
      h('h1', { id: 'flag-title', tabindex: -1 }, key),
      h('span', { class: 'onoff', 'data-on': String(flag.on) }, t(flag.on ? 'on' : 'off')),
    );
  }

  #createFacts({ flag, changedAt, since, requestedAt, dependents }: FlagDetails): HTMLElement {
    const { ui, hashOf } = this.#context;
    const { t } = ui;
    const { usingMobileKey, usingEnvironmentId } = flag.clientSideAvailability;
    const clients = [
      t('clients.server'),
      ...(usingMobileKey ? [t('clients.mobile')] : []),
      ...(usingEnvironmentId ? [t('clients.browser')] : []),
    ];
    const links = dependents.flatMap((one, index) => [index > 0 && ', ', h('a', { href: hashOf(one) }, one)]);
    const fact = (name: string, value: Child | readonly Child[]) => h('div', {}, h('dt', {}, name), h('dd', {}, value));
    return h(
      'dl',
      { class: 'facts' },
      fact(t('last-change'), changedAt === null ? t('unchanged-since', { time: ui.ago(since) }) : ui.time(changedAt)),
      fact(t('requested.long'), ui.time(requestedAt)),
      fact(t('version'), String(flag.version)),
      fact(t('clients'), clients.join(', ')),
      links.length > 0 && fact(t('dependents'), links),
    );
  }

  #createChanges(own: readonly ChangeRow[], since: number): HTMLElement {
    const { ui } = this.#context;
    if (own.length > 0) return changeList(ui, own);
    return h('p', { class: 'soft' }, ui.t('changes.flag.none', { time: ui.ago(since) }));
  }
}
