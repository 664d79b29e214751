import { withTime } from '../controls/period.ts';
import type { Session } from '../data/session.ts';
import type { PageState } from '../data/state.ts';
import type { Notices } from '../notice/notices.ts';
import type { Ui } from '../shell/ui.ts';
import { instantOf } from '../text/format.ts';
import { liveNotice } from '../text/notice-texts.ts';
import { wantedFrom } from './plan.ts';

export interface LiveLoaderParts {
  readonly session: Session;
  ui(): Ui;
  state(): PageState;
  /** The first instant of the current month, once known. */
  monthStart(): number | undefined;
  notices(): Notices;
  onData(): void;
}

/** Loads the live data that the page needs, and shows a notice of the result. */
export class LiveLoader {
  readonly #parts: LiveLoaderParts;
  /** One fetch at a time; later ones wait and then find most data cached. */
  #running: Promise<void> = Promise.resolve();
  /** Of the prefetch, which any request aborts. */
  #unasked = new AbortController();
  #waiting = 0;
  #isChangeWaiting = false;

  constructor(parts: LiveLoaderParts) {
    this.#parts = parts;
  }

  /** Fetches missing data of the selection; `forget` drops all cached data first. */
  ensure(options: { readonly forget?: boolean } = {}): Promise<void> {
    return this.#queue(async () => {
      if (options.forget) await this.#parts.session.forgetLive();
      if (this.#parts.state().source !== 'csv') await this.#update(false);
      this.showNotice();
    });
  }

  /** Updates the data regardless of their age. */
  refresh(): Promise<void> {
    return this.#queue(async () => {
      await this.#update(true);
      this.showNotice();
    });
  }

  /** Fetches what has changed in the logs of assistants; changes that come while one waits are fetched with it. */
  async follow(): Promise<void> {
    if (this.#isChangeWaiting || this.#parts.state().source === 'csv') return;
    this.#isChangeWaiting = true;
    const begin = async () => {
      this.#isChangeWaiting = false;
      if (await this.#parts.session.updateAgents()) this.#parts.onData();
    };
    this.#running = this.#running.then(begin, begin);
    await this.#running;
  }

  showNotice(): void {
    const { session, state, notices } = this.#parts;
    if (state().source === 'csv') notices().show('live', undefined);
    else if (session.tokenUsers.length === 0) {
      notices().show('live', ({ t }) => ({ tone: 'error', title: t('live.none'), text: t('live.none-text') }));
    } else {
      const { live } = session;
      if (live) notices().show('live', (ui) => liveNotice(live, ui, () => void this.refresh()));
    }
  }

  #queue(work: () => Promise<void>): Promise<void> {
    this.#unasked.abort();
    this.#waiting += 1;
    const begin = () => {
      this.#waiting -= 1;
      return work();
    };
    this.#running = this.#running.then(begin, begin);
    return this.#running;
  }

  async #update(refresh: boolean): Promise<void> {
    const { session, state, ui, onData } = this.#parts;
    const { clock, format } = ui();
    const page = state();
    const from = wantedFrom(page, instantOf(format.zone, withTime(page.time.customFrom, '00:00')), clock.now());
    const atLeast = page.mode === 'count' && page.count.mode !== 'all' ? wantedCount(page) : undefined;
    const status = await session.updateLive(from, { refresh, atLeast });
    if (!status) return;
    onData();
    if (this.#waiting > 0 || status.results.some(({ failure }) => failure)) return;
    // Prefetches the whole month for the budget, and the previous period for the comparison.
    const others = [this.#parts.monthStart(), before(page, from, clock.now())].flatMap((at) => at ?? []);
    if (from === undefined || others.length === 0 || Math.min(...others) >= from) return;
    this.#unasked = new AbortController();
    const quietly = this.#unasked.signal;
    if (await session.updateLive(Math.min(...others), { refresh: false, quietly })) onData();
  }
}

const wantedCount = ({ count }: PageState): number => (count.mode === 'rank' ? count.to : count.count);

/** The start of the previous period of equal length, for periods that end now. */
function before(page: PageState, from: number | undefined, now: number): number | undefined {
  return page.mode === 'time' && page.time.mode === 'hours' && from !== undefined ? from - (now - from) : undefined;
}
