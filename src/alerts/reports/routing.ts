import { formatDuration } from '../../kernel/duration.ts';
import type { RouteNode, Routing } from '../contract/routing.ts';
import { printMatcher } from '../domain/matcher/matcher.ts';
import type { Route } from '../domain/route.ts';
import type { NotificationPlan } from '../pipeline/notification/plan.ts';

/** The routing tree in force, and the receivers. */
export function describeRouting({ tree, config }: NotificationPlan): Routing {
  return {
    root: describeRoute(tree.root),
    receivers: config.receivers.map(({ name, integrations }) => ({
      name,
      integrations: integrations.map(({ integration, index, sendResolved }) => ({
        integration: integration.name,
        index,
        sendResolved,
      })),
    })),
  };
}

function describeRoute(route: Route): RouteNode {
  const { id, receiver, muteTimeIntervals, activeTimeIntervals } = route;
  return {
    ...{ id, receiver, muteTimeIntervals, activeTimeIntervals },
    matchers: route.matchers.map(printMatcher),
    continue: route.continue,
    groupBy: route.groupBy === 'all' ? ['...'] : [...route.groupBy],
    groupWait: formatDuration(route.groupWaitMs),
    groupInterval: formatDuration(route.groupIntervalMs),
    repeatInterval: formatDuration(route.repeatIntervalMs),
    routes: route.routes.map(describeRoute),
  };
}
