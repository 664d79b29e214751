import { h, setAttribute } from '../dom.ts';

/** The side padding of a link: up to this width, no text is hidden. */
const LINK_PADDING_PX = 10;

/** The links to the sections of a page, for the header's own row. */
export class Sections {
  readonly element: HTMLElement;
  readonly #list: HTMLElement;
  readonly #links = new Map<string, HTMLAnchorElement>();
  #current = '';

  /** `label` names the navigation for screen readers. */
  constructor(
    label: string,
    sections: readonly { readonly name: string; readonly title: string; readonly href: string }[],
  ) {
    const items = sections.map(({ name, title, href }) => {
      const link = h('a', { href }, title);
      this.#links.set(name, link);
      return h('li', {}, link);
    });
    this.#list = h('ul', {}, items);
    this.element = h('nav', { class: 'sections', 'aria-label': label }, this.#list);
    new ResizeObserver(() => this.#reveal()).observe(this.#list);
    this.#list.addEventListener('scroll', () => this.#hint(), { passive: true });
  }

  /** Marks the section that is shown, and scrolls to it in a narrow window; an unknown name marks none. */
  show(current: string): void {
    for (const [name, link] of this.#links) setAttribute(link, 'aria-current', name === current && 'page');
    this.#current = current;
    // With the next frame, which has a layout anyway.
    requestAnimationFrame(() => this.#reveal());
  }

  #reveal(): void {
    const link = this.#links.get(this.#current);
    if (link) this.#list.scrollLeft = link.offsetLeft - (this.#list.clientWidth - link.offsetWidth) / 2;
    this.#hint();
  }

  /** Marks the ends beyond which there are more links. */
  #hint(): void {
    const { scrollLeft, scrollWidth, clientWidth } = this.#list;
    const hidden = { start: scrollLeft, end: scrollWidth - clientWidth - scrollLeft };
    const more = (['start', 'end'] as const).filter((end) => hidden[end] > LINK_PADDING_PX);
    setAttribute(this.element, 'data-more', more.length > 0 && more.join(' '));
  }

  setHref(name: string, href: string): void {
    const link = this.#links.get(name);
    if (link) link.href = href;
  }
}
