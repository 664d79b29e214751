import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { type Api, ApiError } from '../api.ts';
import type { PageContext } from '../page.ts';
import { confirmAction } from '../parts/confirm-dialog.ts';
import { formatMatchers } from '../parts/matcher-text.ts';
import { formatAge } from '../parts/time-text.ts';
import { t } from '../text.ts';
import { extended, revived } from './annotations.ts';
import { type BulkResult, performEach } from './bulk.ts';
import { reportFailures } from './report-dialog.ts';

/** What the user sees of the silences changes; reloads it. */
type OnChanged = () => Promise<void>;

function report(title: string, { failed }: BulkResult<Silence, unknown>): void {
  if (failed.length === 0) return;
  reportFailures(
    title,
    failed.map(({ item, error }) => ({ name: formatMatchers(item.matchers), why: error.message })),
  );
}

/** The silence as it is now: the page may show it as it was before another user changed it. Rejects when it has expired. */
async function readUnexpired(api: Api, id: string): Promise<Silence> {
  const silence = await api.silence(id);
  if (silence.status.state === 'expired') throw new ApiError(t('silence.expired.already'), 'refused');
  return silence;
}

/** Asks, expires the silences, and offers to bring them back as new ones. */
export async function expireSilences(
  silences: readonly Silence[],
  context: PageContext,
  onChanged: OnChanged,
): Promise<void> {
  const { api, clock, shell } = context;
  const [first] = silences;
  if (!first) return;
  const names = { n: silences.length, name: formatMatchers(first.matchers) };
  let result: BulkResult<Silence, Silence> = { done: [], failed: [] };
  const isDone = await confirmAction({
    title: t('silence.expire.title', names),
    text: silences.length === 1 ? t('silence.expire.one', names) : t('silence.expire.several', names),
    action: t('silence.expire'),
    perform: async () => {
      result = await performEach(silences, async ({ id }) => {
        const silence = await readUnexpired(api, id);
        await api.expireSilence(id);
        return silence;
      });
      // The dialog of the only silence shows its failure.
      if (silences.length === 1 && result.failed[0]) throw result.failed[0].error;
    },
  });
  if (!isDone) return;
  const expired = result.done.map((one) => one.result);
  const revive = async () => {
    const revival = await performEach(expired, (silence) => api.saveSilence(revived(silence, clock.now())));
    shell.toasts.show(t('silence.revived', { n: revival.done.length }));
    report(t('silence.revive.failed', { n: revival.failed.length, all: expired.length }), revival);
    await onChanged();
  };
  if (expired.length > 0) {
    shell.toasts.show(t('silence.expired', { n: expired.length }), { label: t('silence.undo'), perform: revive });
  }
  await onChanged();
  report(t('silence.expire.failed', { n: result.failed.length, all: silences.length }), result);
}

/** Moves the ends of the silences, in milliseconds; an acknowledgement's limit. */
export async function extendSilences(
  silences: readonly Silence[],
  ms: number,
  context: PageContext,
  onChanged: OnChanged,
): Promise<void> {
  const { api, clock, shell } = context;
  const result = await performEach(silences, async ({ id }) =>
    api.saveSilence(extended(await readUnexpired(api, id), ms, clock.now())),
  );
  if (result.done.length > 0) {
    shell.toasts.show(t('silence.extended', { n: result.done.length, span: formatAge(ms) }));
  }
  await onChanged();
  report(t('silence.extend.failed', { n: result.failed.length, all: silences.length }), result);
}
