/** Texts of the wall display; see shared/translate.ts for their form. */
export const english = {
  'wall.connected': 'connected',
  'wall.more': 'and {n} more',
} as const;

export const german = {
  'wall.connected': 'verbunden',
  'wall.more': 'und {n} weitere',
} as const satisfies Record<keyof typeof english, string>;
