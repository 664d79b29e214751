import { createLabelSet, type LabelSet, pickLabels } from './label-set.ts';

/** Where alerts go: to one receiver, in groups. */
export interface Route {
  /** Unique in the tree, and the same for the same configuration: `{}` for the root. */
  readonly key: string;
  readonly receiver: string;
  /** The labels by whose values alerts are grouped; `all` gives each label set a group of its own. */
  readonly groupBy: ReadonlySet<string> | 'all';
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatIntervalMs: number;
}

/** The routes that take an alert, in the order of the tree; the root takes whatever nothing else does. */
export type RouteTable = (labels: LabelSet) => readonly Route[];

/** The table of a configuration whose root route has no children. */
export function routeAllTo(root: Route): RouteTable {
  const routes = [root];
  return () => routes;
}

const NO_LABELS = createLabelSet({});

/** The labels that name the group of an alert on a route. */
export function groupLabels(route: Route, labels: LabelSet): LabelSet {
  if (route.groupBy === 'all') return labels;
  return route.groupBy.size === 0 ? NO_LABELS : pickLabels(labels, route.groupBy);
}
