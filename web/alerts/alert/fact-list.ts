import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';

export type Fact = readonly [name: string, value: Child | readonly Child[]];

/** Names and their values. */
export function factList(facts: readonly Fact[]): HTMLElement {
  const rows = facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);
  return h('dl', {}, rows);
}
