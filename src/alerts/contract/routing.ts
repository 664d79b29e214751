/** GET /routes: the routing tree and its receivers. Durations are Prometheus'. */
export interface Routing {
  readonly root: RouteNode;
  /** In the order of the configuration. */
  readonly receivers: readonly {
    readonly name: string;
    readonly integrations: readonly {
      readonly integration: string;
      readonly index: number;
      readonly sendResolved: boolean;
    }[];
  }[];
}

export interface RouteNode {
  /** Unique in the tree; `routeId` of an explanation. */
  readonly id: string;
  readonly receiver: string;
  /** Empty for the root. */
  readonly matchers: readonly string[];
  /** Whether an alert is passed on to the next sibling. */
  readonly continue: boolean;
  /** `...`: each label set has a group of its own. */
  readonly groupBy: readonly string[];
  readonly groupWait: string;
  readonly groupInterval: string;
  readonly repeatInterval: string;
  readonly muteTimeIntervals: readonly string[];
  readonly activeTimeIntervals: readonly string[];
  readonly routes: readonly RouteNode[];
}
