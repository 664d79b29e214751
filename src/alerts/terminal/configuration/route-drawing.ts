import { printable } from '../../../kernel/terminal/printable.ts';
import { type Matcher, printMatchers } from '../../domain/matcher/matcher.ts';

/** The parts of a route that a drawing shows. */
export interface DrawnRoute {
  readonly receiver: string;
  readonly matchers: readonly Matcher[];
  readonly continue: boolean;
  readonly routes: readonly DrawnRoute[];
}

interface Branch {
  readonly text: string;
  readonly branches: readonly Branch[];
}

function nameOf({ matchers }: DrawnRoute): string {
  return matchers.length === 0 ? 'default-route' : printMatchers(matchers);
}

function withReceiver(text: string, { receiver }: DrawnRoute): string {
  return `${text}  receiver: ${receiver}`;
}

function branchOf(route: DrawnRoute): Branch {
  const name = route.continue ? `${nameOf(route)}  continue: true` : nameOf(route);
  return { text: withReceiver(name, route), branches: route.routes.map(branchOf) };
}

type LabelSet = Readonly<Record<string, string>>;

function takes({ matchers }: DrawnRoute, labels: LabelSet): boolean {
  return matchers.every(({ name, matches }) => matches(Object.hasOwn(labels, name) ? (labels[name] as string) : ''));
}

/** The children that match an alert, up to the first without `continue`. */
function takingChildren({ routes }: DrawnRoute, labels: LabelSet): readonly DrawnRoute[] {
  const taking = routes.filter((route) => takes(route, labels));
  const last = taking.findIndex((route) => !route.continue);
  return last < 0 ? taking : taking.slice(0, last + 1);
}

/** The receiver is drawn only where the alert's route ends. */
function matchingBranchOf(route: DrawnRoute, labels: LabelSet): Branch {
  const taking = takingChildren(route, labels);
  if (taking.length === 0) return { text: withReceiver(nameOf(route), route), branches: [] };
  return { text: nameOf(route), branches: taking.map((child) => matchingBranchOf(child, labels)) };
}

function linesOf(branches: readonly Branch[], margin: string): string[] {
  return branches.flatMap(({ text, branches: below }, i) => {
    const isLast = i === branches.length - 1;
    return [
      `${margin}${isLast ? '└── ' : '├── '}${printable(text)}`,
      ...linesOf(below, `${margin}${isLast ? '    ' : '│   '}`),
    ];
  });
}

function draw(root: Branch): string {
  return ['.', ...linesOf([root], '')].map((line) => `${line}\n`).join('');
}

/** The whole tree with a line for each route, as amtool draws it. */
export function drawRoutes(root: DrawnRoute): string {
  return draw(branchOf(root));
}

/** The routes that an alert takes, as amtool draws them. */
export function drawMatchingRoutes(root: DrawnRoute, labels: LabelSet): string {
  return draw(matchingBranchOf(root, labels));
}
