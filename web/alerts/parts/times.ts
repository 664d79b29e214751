import type { Clock } from '../../shared/clock.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Settings } from '../settings/settings.ts';
import { formatAge, formatDistance, formatInstant, formatInstantShort } from './time-text.ts';

/**
 * `age` reads `2h 14m`, `distance` reads `in 2h 14m` or `2h 14m ago`; both are instants if the settings say so.
 * `relative` is always a distance and `instant` always an instant, for places that show both.
 */
export type TimeForm = 'age' | 'distance' | 'relative' | 'instant';

/** Writes instants into `time` elements and keeps them up to date. */
export class Times {
  readonly #clock: Clock;
  readonly #settings: Settings;

  constructor(clock: Clock, settings: Settings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  element(instant: string, form: TimeForm): HTMLTimeElement {
    const element = h('time', { datetime: instant, 'data-form': form });
    this.#draw(element);
    return element;
  }

  /** Updates all `time` elements below `root`. */
  redraw(root: ParentNode): void {
    for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-form]')) this.#draw(element);
  }

  #draw(element: HTMLTimeElement): void {
    const at = Date.parse(element.dateTime);
    const now = this.#clock.now();
    const { form } = element.dataset;
    const relative = form === 'age' ? formatAge(now - at) : formatDistance(at, now);
    const absolute = form === 'instant' || (form !== 'relative' && this.#settings.values.times === 'absolute');
    setText(element, absolute ? formatInstantShort(at, now) : relative);
    element.title = absolute ? `${formatInstant(at)} (${formatDistance(at, now)})` : formatInstant(at);
  }
}
