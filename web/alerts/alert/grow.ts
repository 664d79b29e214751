import { h } from '../../shared/dom.ts';

/** How near the end of a list comes to the window before the list grows. */
const NEAR_PX = 1200;

/**
 * An empty element for the end of a list, hidden when the list is complete: `grow` is called while it is near the window, once per
 * frame, so that a long list costs what is looked at. `check` looks again after the list has changed.
 */
export function growNear(grow: () => void): { readonly element: HTMLElement; check(): void } {
  const element = h('div', { class: 'growth', hidden: true });
  const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && grow(), {
    rootMargin: `${NEAR_PX}px 0px`,
  });
  const check = () => {
    // An observer reports changes only, and a list may grow less than it is near.
    observer.unobserve(element);
    if (!element.hidden) observer.observe(element);
  };
  return { element, check };
}
