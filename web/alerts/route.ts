export const SILENCE_TABS = ['active', 'pending', 'expired', 'all'] as const;
export type SilenceTab = (typeof SILENCE_TABS)[number];

export interface AlertsRoute {
  readonly page: 'alerts';
  /** Matchers as text, such as `{alertname="X"}`; empty for all alerts. */
  readonly filter: string;
  /** A regular expression on the receiver's name; empty for all. */
  readonly receiver: string;
  readonly active: boolean;
  readonly silenced: boolean;
  readonly inhibited: boolean;
  readonly muted: boolean;
  /** Words to look for in labels and annotations; empty for all. */
  readonly search: string;
  /** Whether the alerts are shown for a wall: large, and without controls. */
  readonly wall: boolean;
}

export interface NewSilenceRoute {
  readonly page: 'new-silence';
  readonly filter: string;
  readonly comment: string;
  readonly creator: string;
}

export const HISTORY_OUTCOMES = ['sent', 'failed'] as const;
export const HISTORY_SPANS = ['1h', '24h', '7d'] as const;

/** An empty text is no restriction. */
export interface HistoryRoute {
  readonly page: 'history';
  /** Matchers as text, on the group or its alerts. */
  readonly filter: string;
  readonly receiver: string;
  readonly outcome: (typeof HISTORY_OUTCOMES)[number] | '';
  readonly span: (typeof HISTORY_SPANS)[number] | '';
}

/** The state of a page that a link contains. */
export type Route =
  | AlertsRoute
  | { readonly page: 'silences'; readonly tab: SilenceTab; readonly filter: string }
  | NewSilenceRoute
  | { readonly page: 'silence'; readonly id: string }
  | { readonly page: 'edit-silence'; readonly id: string }
  | HistoryRoute
  | { readonly page: 'routing'; readonly labels: string }
  | { readonly page: 'status' }
  | { readonly page: 'settings' }
  | { readonly page: 'unknown'; readonly hash: string };

export const ALL_ALERTS: AlertsRoute = {
  page: 'alerts',
  filter: '',
  receiver: '',
  active: true,
  silenced: false,
  inhibited: false,
  muted: false,
  search: '',
  wall: false,
};

/** Parses a location's hash. Links have Alertmanager's form, so that old notifications' links still work. */
export function parseHash(hash: string): Route {
  const text = hash.replace(/^#/, '');
  const [path = '', query = ''] = cutAt(text, '?');
  const parameters = parseQuery(query);
  const [first = '', second = '', third = '', ...rest] = path.replace(/^\/|\/$/g, '').split('/');
  const unknown: Route = { page: 'unknown', hash };
  if (rest.length > 0) return unknown;
  if (first === 'silences' && second) return parseSilence(second, third, parameters) ?? unknown;
  if (second) return unknown;
  switch (first) {
    case '':
    case 'alerts':
      return parseAlerts(parameters);
    case 'silences':
      return { page: 'silences', tab: tabOf(parameters.get('state')), filter: parameters.get('filter') ?? '' };
    case 'history':
      return parseHistory(parameters);
    case 'routing':
      return { page: 'routing', labels: parameters.get('labels') ?? '' };
    case 'status':
    case 'settings':
      return { page: first };
    default:
      return unknown;
  }
}

function parseAlerts(parameters: ReadonlyMap<string, string>): AlertsRoute {
  const flag = (name: 'active' | 'silenced' | 'inhibited' | 'muted') => {
    const value = parameters.get(name);
    return value === undefined ? ALL_ALERTS[name] : value.toLowerCase() !== 'false';
  };
  return {
    page: 'alerts',
    filter: parameters.get('filter') ?? '',
    receiver: parameters.get('receiver') ?? '',
    active: flag('active'),
    silenced: flag('silenced'),
    inhibited: flag('inhibited'),
    muted: flag('muted'),
    search: parameters.get('search') ?? '',
    wall: parameters.has('wall') && parameters.get('wall') !== 'false',
  };
}

function parseSilence(second: string, third: string, parameters: ReadonlyMap<string, string>): Route | undefined {
  if (second === 'new') {
    if (third) return undefined;
    const text = (name: string) => parameters.get(name) ?? '';
    return { page: 'new-silence', filter: text('filter'), comment: text('comment'), creator: text('creator') };
  }
  const id = decode(second);
  if (!third) return { page: 'silence', id };
  return third === 'edit' || third === 'recreate' ? { page: 'edit-silence', id } : undefined;
}

function parseHistory(parameters: ReadonlyMap<string, string>): HistoryRoute {
  return {
    page: 'history',
    filter: parameters.get('filter') ?? '',
    receiver: parameters.get('receiver') ?? '',
    outcome: HISTORY_OUTCOMES.find((outcome) => outcome === parameters.get('outcome')) ?? '',
    span: HISTORY_SPANS.find((span) => span === parameters.get('span')) ?? '',
  };
}

function tabOf(state: string | undefined): SilenceTab {
  return SILENCE_TABS.find((tab) => tab === state) ?? 'active';
}

/** Formats a route as a hash, without defaults. */
export function formatHash(route: Route): string {
  switch (route.page) {
    case 'alerts':
      return `#/alerts${formatQuery({
        filter: route.filter,
        receiver: route.receiver,
        active: route.active ? '' : 'false',
        silenced: route.silenced ? 'true' : '',
        inhibited: route.inhibited ? 'true' : '',
        muted: route.muted ? 'true' : '',
        search: route.search,
        wall: route.wall ? 'true' : '',
      })}`;
    case 'silences':
      return `#/silences${formatQuery({ state: route.tab === 'active' ? '' : route.tab, filter: route.filter })}`;
    case 'new-silence':
      return `#/silences/new${formatQuery({ filter: route.filter, comment: route.comment, creator: route.creator })}`;
    case 'silence':
      return `#/silences/${encode(route.id)}`;
    case 'edit-silence':
      return `#/silences/${encode(route.id)}/edit`;
    case 'history': {
      const { page, ...parameters } = route;
      return `#/history${formatQuery(parameters)}`;
    }
    case 'routing':
      return `#/routing${formatQuery({ labels: route.labels })}`;
    case 'unknown':
      return route.hash;
    default:
      return `#/${route.page}`;
  }
}

/** The link to the form of a new silence for the matchers of `filter`. */
export function newSilenceHash(filter: string): string {
  return formatHash({ page: 'new-silence', filter, comment: '', creator: '' });
}

/** The link to the notifications with these restrictions. */
export function historyHash(restrictions: Partial<Omit<HistoryRoute, 'page'>>): string {
  return formatHash({ page: 'history', filter: '', receiver: '', outcome: '', span: '', ...restrictions });
}

/** The link to all alerts that match `filter`, in any state. */
export function everyAlertHash(filter: string): string {
  return formatHash({ ...ALL_ALERTS, filter, silenced: true, inhibited: true, muted: true });
}

function formatQuery(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== '');
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`;
}

function parseQuery(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = cutAt(pair, '=');
      return [decode(name), decode(value)];
    }),
  );
}

function cutAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const ENCODED_WHOLLY = /^[\w\-.~%+*!'()]*$/;

/**
 * Decodes one part of a query. `+` is a space only if everything else is encoded as well, as by Go's `urlquery` in
 * notification templates; in a typed link, `+` belongs to a regular expression. An invalid `%` stays as it is.
 */
function decode(text: string): string {
  const spaced = ENCODED_WHOLLY.test(text) ? text.replaceAll('+', ' ') : text;
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    const codes = bytes
      .slice(1)
      .split('%')
      .map((code) => Number.parseInt(code, 16));
    return new TextDecoder().decode(Uint8Array.from(codes));
  });
}

/** Labels may contain a lone surrogate, on which `encodeURIComponent` throws. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/[\uD800-\uDFFF]/gu, '\uFFFD'));
}
