import { cookieOf } from '../kernel/http/cookie.ts';

const LANGUAGES = ['en', 'de'] as const;
const THEMES = ['system', 'light', 'dark'] as const;

/** Language and theme of the hub page. All pages of this host keep these choices in the same cookies. */
export interface HubView {
  readonly language: (typeof LANGUAGES)[number];
  readonly theme: (typeof THEMES)[number];
}

const KEPT_S = 31_536_000;

/** The view of a request, by its headers `Cookie` and `Accept-Language`. */
export function readHubView(cookies: string | undefined, accepted: string | undefined): HubView {
  const [language, theme] = [cookieOf(cookies, 'opsdeck.language'), cookieOf(cookies, 'opsdeck.theme')];
  return {
    language: LANGUAGES.find((one) => one === language) ?? (/^de\b/i.test(accepted ?? '') ? 'de' : 'en'),
    theme: THEMES.find((one) => one === theme) ?? 'system',
  };
}

/** The cookie that keeps a choice; undefined if the value is unknown. */
export function keepHubView(key: keyof HubView, chosen: string | undefined): string | undefined {
  const known: readonly string[] = key === 'language' ? LANGUAGES : THEMES;
  if (chosen === undefined || !known.includes(chosen)) return undefined;
  return `opsdeck.${key}=${chosen}; Path=/; Max-Age=${KEPT_S}; SameSite=Lax`;
}

export const nextTheme = (theme: HubView['theme']): HubView['theme'] =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
