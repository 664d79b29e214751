import { quoteGo } from '../domain/quote.ts';
import type { ConfigProblem } from './config-node.ts';
import type { Located } from './kind.ts';
import { eachRoute, type RawRoute } from './route-config.ts';
import type { Sections } from './sections.ts';

/** Invalid references between the parts of a file. Unreadable parts are skipped. */
export function checkReferences(sections: Sections): readonly ConfigProblem[] {
  const { route, receivers, muteTimeIntervals, timeIntervals } = sections;
  const problems: ConfigProblem[] = [];
  const namesOf = <T extends { readonly name: string }>(
    what: string,
    items: readonly Located<T>[],
    names: Set<string>,
  ) => {
    for (const { value, line } of items) {
      if (names.has(value.name)) problems.push({ line, message: `${what} ${quoteGo(value.name)} is not unique` });
      names.add(value.name);
    }
    return names;
  };
  const receiverNames = receivers && namesOf('notification config name', receivers, new Set());
  const oldNames = muteTimeIntervals && namesOf('mute time interval', muteTimeIntervals, new Set());
  const intervalNames = oldNames && timeIntervals && namesOf('time interval', timeIntervals, oldNames);
  if (!route) return problems;
  problems.push(...checkRoot(route));
  eachRoute(route, ({ value }) => {
    const { receiver } = value;
    if (receiver?.value && receiverNames && !receiverNames.has(receiver.value)) {
      problems.push({
        line: receiver.line,
        message: `undefined receiver ${quoteGo(receiver.value)} used in route`,
      });
    }
    for (const { value: name, line } of [...value.activeTimeIntervals, ...value.muteTimeIntervals]) {
      if (intervalNames && !intervalNames.has(name)) {
        problems.push({ line, message: `undefined time interval ${quoteGo(name)} used in route` });
      }
    }
  });
  return problems;
}

/** Rules for the root route, which matches all alerts. */
function checkRoot({ value: root, line }: Located<RawRoute>): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (root.continue.value) problems.push({ line: root.continue.line, message: 'cannot have continue in root route' });
  if (!root.receiver?.value) {
    problems.push({ line: root.receiver?.line ?? line, message: 'root route must specify a default receiver' });
  }
  const conditions = [root.match, root.matchRe, root.matchers].find(
    (condition) => condition && Object.keys(condition.value).length > 0,
  );
  if (conditions) problems.push({ line: conditions.line, message: 'root route must not have any matchers' });
  const [mute] = root.muteTimeIntervals;
  if (mute) problems.push({ line: mute.line, message: 'root route must not have any mute time intervals' });
  const [active] = root.activeTimeIntervals;
  if (active) problems.push({ line: active.line, message: 'root route must not have any active time intervals' });
  return problems;
}
