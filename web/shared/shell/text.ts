import type { Language } from '../language.ts';
import { createTranslate, type Values } from '../translate.ts';

const english = {
  alerts: 'Alerts',
  relay: 'Flags',
  dashboard: 'Usage',
  rooms: 'Rooms',
  degraded: 'degraded',
  failing: 'failing',
  unknown: 'state unknown',
  hub: 'opsdeck, all servers',
  home: 'opsdeck',
  products: 'Products',
  skip: 'Skip to the content',
  language: 'Language',
  theme: 'Theme',
  'theme.system': 'As the system',
  'theme.light': 'Light',
  'theme.dark': 'Dark',
} as const;
export type ShellText = keyof typeof english;

const german = {
  alerts: 'Alarme',
  relay: 'Flags',
  dashboard: 'Nutzung',
  rooms: 'Räume',
  degraded: 'eingeschränkt',
  failing: 'gestört',
  unknown: 'Zustand unbekannt',
  hub: 'opsdeck, alle Server',
  home: 'opsdeck',
  products: 'Produkte',
  skip: 'Zum Inhalt springen',
  language: 'Sprache',
  theme: 'Farbschema',
  'theme.system': 'Wie das System',
  'theme.light': 'Hell',
  'theme.dark': 'Dunkel',
} satisfies Record<ShellText, string>;

/** The words of the header. */
export const shellTexts = (language: Language): ((key: ShellText, values?: Values) => string) =>
  createTranslate<ShellText>(language === 'de' ? german : english, language);
