import type { HubView } from './hub-view.ts';

const english = {
  page: 'Usage',
  title: 'Usage dashboard',
  lead: 'What your AI coding assistant was asked, what it cost, and what for: on this machine, from your own exports.',
  open: 'Open analytics',
  'open.text': 'Costs, tokens, models and projects, from a CSV export or live',
  health: 'State of this server',
  disclaimer: 'All costs are informative, carry no warranty and are not a billing statement.',
  products: 'Products',
  hub: 'opsdeck, all servers',
  alerts: 'Alerts',
  relay: 'Flags',
  dashboard: 'Usage',
  rooms: 'Rooms',
  degraded: 'degraded',
  failing: 'failing',
  unknown: 'state unknown',
  'theme.system': 'Theme: as the system',
  'theme.light': 'Theme: light',
  'theme.dark': 'Theme: dark',
} as const;
export type HubText = keyof typeof english;

const german = {
  page: 'Nutzung',
  title: 'Nutzungsübersicht',
  lead: 'Was der KI-Assistent gefragt wurde, was es gekostet hat und wofür: auf diesem Rechner, aus eigenen Exporten.',
  open: 'Nutzungsanalyse öffnen',
  'open.text': 'Kosten, Tokens, Modelle und Projekte, aus CSV-Exporten oder live',
  health: 'Zustand dieses Servers',
  disclaimer: 'Alle Kosten dienen der Information, sind ohne Gewähr und ersetzen keine Abrechnung.',
  products: 'Produkte',
  hub: 'opsdeck, alle Server',
  alerts: 'Alarme',
  relay: 'Flags',
  dashboard: 'Nutzung',
  rooms: 'Räume',
  degraded: 'eingeschränkt',
  failing: 'gestört',
  unknown: 'Zustand unbekannt',
  'theme.system': 'Farbschema: wie das System',
  'theme.light': 'Farbschema: hell',
  'theme.dark': 'Farbschema: dunkel',
} satisfies Record<HubText, string>;

/** The words of the hub page. */
export const hubTexts = (language: HubView['language']): Readonly<Record<HubText, string>> =>
  language === 'de' ? german : english;
