export type Child = Node | string | number | false | null | undefined;

/** An attribute's value; a function listens to the event of its name (`onclick`), true sets the bare attribute. */
export type Attribute = string | number | boolean | undefined | ((event: never) => void);

/**
 * Builds an element. Text becomes text nodes and attributes go through `setAttribute`: nothing is ever parsed as HTML.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else setAttribute(element, name, value);
  }
  element.append(...nodesOf(children.flat()));
  return element;
}

/** Sets an attribute, or removes it for false and undefined. */
export function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** The non-empty children, for `append` and `replaceChildren`. */
function nodesOf(children: readonly Child[]): (Node | string)[] {
  return children
    .filter((child) => child !== false && child !== null && child !== undefined && child !== '')
    .map((child) => (typeof child === 'number' ? String(child) : (child as Node | string)));
}

/** Changes the text only if it differs, so that live regions and selections are not disturbed. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes `wanted` the children of `parent` without moving nodes that are in place, so that the focus stays. */
export function syncChildren(parent: Element, wanted: readonly Node[]): void {
  const keep = new Set(wanted);
  for (const node of [...parent.childNodes]) if (!keep.has(node)) node.remove();
  let next = parent.firstChild;
  for (const node of wanted) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}
