import type { Alert } from '../../../src/alerts/contract/wire.ts';
import { titleOf } from '../alert/title.ts';
import type { Settings } from '../settings/settings.ts';
import { t } from '../text.ts';
import { NewCriticals } from './look.ts';
import { playSound, showNotification } from './signals.ts';

/** Names in a notification. */
const MAX_NAMED = 4;

/** Signals new critical alerts as the settings say. */
export class News {
  readonly #settings: Settings;
  readonly #criticals = new NewCriticals();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  report(alerts: Iterable<Alert>): void {
    const found = this.#criticals.look(alerts);
    if (found.length === 0) return;
    const { sound, desktop } = this.#settings.values;
    if (sound) playSound();
    const named = found.slice(0, MAX_NAMED).map(titleOf).join('\n');
    if (desktop) showNotification(t('alert.new-critical', { n: found.length }), named);
  }
}
