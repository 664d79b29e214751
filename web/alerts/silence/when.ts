import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import type { Times } from '../parts/times.ts';
import { language, t } from '../text.ts';
import { acknowledgedUntil } from './annotations.ts';

const PARTS = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Created at its first use: that takes milliseconds. */
let format: Intl.DateTimeFormat | undefined;

/** An instant with its day and zone: `Tue, 24 Nov, 03:12 CET`. */
export function dayAndZone(instant: string | number): string {
  format ??= new Intl.DateTimeFormat(language === 'de' ? 'de' : 'en-GB', PARTS);
  return format.format(new Date(instant));
}

/** An instant in two lines: how far it is away, and its day, time and zone. */
export function whenParts(instant: string, times: Times): HTMLElement[] {
  return [
    h('span', { class: 'when-distance' }, times.element(instant, 'relative')),
    h('span', { class: 'when-day soft' }, dayAndZone(instant)),
  ];
}

/** The end of a silence; that of a running acknowledgement is its limit, as the server moves the other. */
export function endParts(silence: Silence, times: Times): HTMLElement[] {
  const limit = acknowledgedUntil(silence);
  if (limit === undefined || silence.status.state === 'expired') return whenParts(silence.endsAt, times);
  return [
    h('span', { class: 'when-distance' }, t('silence.when-resolved')),
    h('span', { class: 'when-day soft' }, t('silence.at-most', { at: dayAndZone(limit) })),
  ];
}
