import { createLabelSet, type LabelSet, pickLabels } from './label-set.ts';
import { MatcherIndex, matchesAll } from './matcher/index.ts';
import { type Matcher, printMatchers } from './matcher/matcher.ts';

/** The options of a route, with inherited values filled in. Durations are milliseconds. */
export interface RouteSettings {
  readonly receiver: string;
  /** All must match. In the order of compareMatchers. */
  readonly matchers: readonly Matcher[];
  /** Whether an alert is passed on to the next sibling. */
  readonly continue: boolean;
  /** The labels by whose values alerts are grouped; `all` gives each label set a group of its own. */
  readonly groupBy: readonly string[] | 'all';
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
  readonly repeatIntervalMs: number;
  readonly muteTimeIntervals: readonly string[];
  readonly activeTimeIntervals: readonly string[];
  /** Templates. */
  readonly labels: Readonly<Record<string, string>>;
  readonly routes: readonly RouteSettings[];
}

/** Where alerts go: to one receiver, in groups. */
export interface Route extends Omit<RouteSettings, 'groupBy' | 'routes'> {
  /** For group keys: the same for the same matchers, `{}/{severity="page"}`. */
  readonly key: string;
  /** Unique in the tree, also among siblings with the same matchers. */
  readonly id: string;
  readonly groupBy: ReadonlySet<string> | 'all';
  /** From the root to the route itself. */
  readonly path: readonly Route[];
  readonly routes: readonly Route[];
}

const NO_LABELS = createLabelSet({});

/** The labels of an alert's group on a route. */
export function groupLabels(route: Route, labels: LabelSet): LabelSet {
  if (route.groupBy === 'all') return labels;
  return route.groupBy.size === 0 ? NO_LABELS : pickLabels(labels, route.groupBy);
}

/** A route with an index of its children. */
interface Node {
  readonly route: Route;
  readonly matchers: readonly Matcher[];
  readonly place: number;
  readonly children: readonly Node[];
  readonly index: MatcherIndex<Node> | undefined;
}

/** Below this number of children, trying each is as fast as the index. */
const FEW_CHILDREN = 8;

/** The routing tree. Source: Alertmanager dispatch.Route. */
export class RouteTree {
  readonly root: Route;
  readonly #root: Node;
  /** Alerts with the same routes share one array. */
  readonly #shared = new Map<string, readonly Route[]>();

  constructor(settings: RouteSettings) {
    this.#root = buildNode(settings, undefined, 0);
    this.root = this.#root.route;
  }

  /**
   * The routes of an alert, in the order of the tree: the deepest matches, and further siblings only after a match with
   * `continue`. The root takes all others. Equal results are the same array.
   */
  match(labels: LabelSet): readonly Route[] {
    const found: Route[] = [];
    collectRoutes(this.#root, labels, found);
    const key = found.length === 1 ? (found[0] as Route).id : found.map(({ id }) => id).join('\n');
    const shared = this.#shared.get(key);
    if (shared) return shared;
    this.#shared.set(key, found);
    return found;
  }

  /** Every route, parents before their children. */
  *all(): Generator<Route, void> {
    yield* withDescendants(this.root);
  }
}

function* withDescendants(route: Route): Generator<Route, void> {
  yield route;
  for (const child of route.routes) yield* withDescendants(child);
}

function buildNode(settings: RouteSettings, parent: Route | undefined, place: number): Node {
  const own = printMatchers(settings.matchers);
  const path: Route[] = parent ? [...parent.path] : [];
  const routes: Route[] = [];
  const route: Route = {
    ...settings,
    key: parent ? `${parent.key}/${own}` : own,
    id: parent ? `${parent.id}/${own}/${place}` : own,
    groupBy: settings.groupBy === 'all' ? 'all' : new Set(settings.groupBy),
    path,
    routes,
  };
  path.push(route);
  const children = settings.routes.map((child, index) => buildNode(child, route, index));
  for (const child of children) routes.push(child.route);
  const index = children.length > FEW_CHILDREN ? new MatcherIndex(children) : undefined;
  return { route, matchers: settings.matchers, place, children, index };
}

/** The node itself must match. */
function collectRoutes(node: Node, labels: LabelSet, found: Route[]): void {
  const before = found.length;
  for (const child of node.index ? lookUp(node.index, labels) : node.children) {
    if (!node.index && !matchesAll(child.matchers, labels)) continue;
    collectRoutes(child, labels, found);
    if (!child.route.continue) break;
  }
  if (found.length === before) found.push(node.route);
}

function lookUp(index: MatcherIndex<Node>, labels: LabelSet): readonly Node[] {
  return [...index.matching(labels)].sort((a, b) => a.place - b.place);
}
