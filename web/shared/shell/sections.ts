import { h, setAttribute } from '../dom.ts';

/** The links to the sections of a page, for the header's own row. */
export class Sections {
  readonly element: HTMLElement;
  readonly #links = new Map<string, HTMLAnchorElement>();

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
    this.element = h('nav', { class: 'sections', 'aria-label': label }, h('ul', {}, items));
  }

  /** Marks the section that is shown, and scrolls to it in a narrow window; an unknown name marks none. */
  show(current: string): void {
    for (const [name, link] of this.#links) setAttribute(link, 'aria-current', name === current && 'page');
    // In a frame of its own, as the links may not be laid out yet.
    requestAnimationFrame(() => this.#reveal(current));
  }

  #reveal(name: string): void {
    const link = this.#links.get(name);
    const list = link?.closest('ul');
    if (link && list) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }

  setHref(name: string, href: string): void {
    const link = this.#links.get(name);
    if (link) link.href = href;
  }
}
