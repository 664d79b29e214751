import type { View } from '../../../src/dashboard/domain/view.ts';
import type { Session } from '../data/session.ts';
import type { PageState } from '../data/state.ts';
import { userText } from '../marker/texts.ts';
import type { Ui } from '../shell/ui.ts';

/** The current selection in one line. */
export function statusText(state: PageState, view: View, session: Session, ui: Ui, now: number): string {
  const { t, format } = ui;
  const { interval, counts } = view;
  const { span } = interval;
  const parts = [
    session.isSample ? t('status.sample') : t(`source.${state.source}`),
    userText(state.user, t),
    span ? `${format.shortDateTime(span.from)} – ${format.shortDateTime(span.to)}` : t('resolved.nothing'),
    t('status.events', { n: counts.selected }),
  ];
  if (counts.duplicatesRemoved > 0) parts.push(t('status.duplicates', { n: counts.duplicatesRemoved }));
  const fetched = (session.live?.results ?? []).flatMap(({ fetchedAt }) => fetchedAt ?? []);
  if (state.source !== 'csv' && fetched.length > 0) {
    parts.push(t('status.synced', { ago: format.ago(Math.min(...fetched), now) }));
  }
  return parts.join(' · ');
}

/** The resolved interval, and its reason. */
export function resolvedText(state: PageState, view: View, ui: Ui): string {
  const { t, format } = ui;
  const { span, endsBy, notes } = view.interval;
  const words: string[] = [];
  if (!span) words.push(t('resolved.nothing'));
  else if (state.mode === 'time' && state.time.mode === 'hours') {
    const { hours } = state.time;
    words.push(
      t('resolved.hours', {
        length: hours > 24 ? t('days.short', { n: hours / 24 }) : t('hours.short', { n: hours }),
        end: format.dateTime(span.to),
        why: t(endsBy === 'now' ? 'resolved.now' : 'resolved.newest-event'),
        zone: format.zoneName(span.to),
      }),
    );
  } else {
    const [from, to] = [format.dateTime(span.from), format.dateTime(span.to)];
    words.push(t('resolved.span', { from, to, zone: format.zoneName(span.to) }));
  }
  if (notes.includes('beyond-loaded')) words.push(t('resolved.beyond', { n: view.counts.ofUser }));
  if (notes.includes('swapped')) words.push(t('resolved.swapped'));
  if (notes.includes('clamped')) words.push(t('resolved.clamped'));
  if (notes.includes('invalid-custom')) words.push(t('error.time'));
  return words.join(' · ');
}
