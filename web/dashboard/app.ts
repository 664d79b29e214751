import type { ListedUser } from '../../src/dashboard/contract/user-list.ts';
import type { View } from '../../src/dashboard/domain/view.ts';
import type { Clock } from '../shared/clock.ts';
import { StepRunner } from '../shared/step-runner.ts';
import { nextFrame, nextTask } from '../shared/task.ts';
import { chooseTheme, shownTheme, THEMES } from '../shared/theme.ts';
import { showLogs } from './agents/dialog.ts';
import { AgentPanel } from './agents/panel.ts';
import { estimateText } from './agents/texts.ts';
import { shiftPeriod } from './controls/period.ts';
import { ProjectBudget } from './data/budget.ts';
import { Exporter } from './data/exporter.ts';
import { formatHash, parseHash } from './data/hash.ts';
import { chartStateOf } from './data/queries.ts';
import { fetchBudget, fetchMarkers, fetchSampleMarkers, putBudget, putMarkers } from './data/server-api.ts';
import { Session } from './data/session.ts';
import type { SettingStorage, Settings } from './data/settings.ts';
import { isSameView, type PageState } from './data/state.ts';
import { ViewLoader } from './data/view-loader.ts';
import type { WorkerClient } from './data/worker-client.ts';
import { LiveLoader } from './live/loader.ts';
import { MarkerEditor } from './marker/editor.ts';
import { LocalMarkers } from './marker/local.ts';
import { askUser, confirmForget, showHelp } from './shell/dialogs.ts';
import { Page, type PageParts } from './shell/page.ts';
import type { Screen, ScreenActions } from './shell/screen.ts';
import { listenForShortcuts } from './shell/shortcuts.ts';
import type { Ui } from './shell/ui.ts';
import { dateIn } from './text/format.ts';
import { reportBroken, reportFile, reportSync } from './text/notice-texts.ts';
import { serverWords } from './text/server-words.ts';
import { resolvedText, statusText } from './text/status-texts.ts';

export interface AppParts {
  readonly worker: WorkerClient;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly storage: SettingStorage;
  /** Address of the charts' code. */
  readonly chartsAddress: string;
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The page's controller: holds the state, queries the worker, and shows its answers. */
export class App {
  readonly #parts: AppParts;
  readonly #session: Session;
  readonly #live: LiveLoader;
  readonly #agents: AgentPanel;
  readonly #markers: LocalMarkers;
  readonly #markerEditor: MarkerEditor;
  #state: PageState;
  readonly #views: ViewLoader;
  readonly #exports: Exporter;
  readonly #budget: ProjectBudget;
  #page: Page;
  readonly #steps = new StepRunner(nextTask);
  /** False until the files of the project are read: charts without data are not drawn. */
  #isLoaded = false;

  constructor(parts: AppParts) {
    this.#parts = parts;
    const { worker, clock, settings, storage } = parts;
    const today = dateIn(settings.zone || OWN_ZONE, clock.now());
    this.#state = parseHash(location.hash, settings.readState(today));
    this.#views = new ViewLoader({
      worker,
      state: () => this.#state,
      zone: () => this.#zone,
      now: () => clock.now(),
      plotWidth: () => this.#screen.plotWidth,
      onBusy: () => this.#screen.showBusy(),
      onView: () => this.#show(),
      onTable: (page) => void this.#screen.showTable(page),
    });
    this.#session = new Session(worker, clock, {
      follow: ({ kind, name }, run) => this.#screen.progress.follow(({ t }) => t(`progress.${kind}`, { name }), run),
      askUser: (names) => askUser(this.#ui, names, this.#labels),
      report: (result, isChosen) => reportFile(result, this.#screen.notices, this.#ui, isChosen),
    });
    this.#live = new LiveLoader({
      session: this.#session,
      ui: () => this.#ui,
      state: () => this.#state,
      monthStart: () => this.#views.view?.budget.monthStart,
      notices: () => this.#screen.notices,
      onData: () => void this.#refresh(),
    });
    this.#agents = new AgentPanel({
      notices: () => this.#screen.notices,
      progress: () => this.#screen.progress,
      onChange: () => void this.#live.follow(),
    });
    this.#markers = new LocalMarkers({
      storage,
      clock,
      server: { fetch: fetchMarkers, put: putMarkers },
      newId: () => `m-${crypto.randomUUID()}`,
      onChange: () => void this.#sendMarkers(),
      onSyncFailure: (reason) => reportSync(reason, this.#screen.notices, () => void this.#markers.sync()),
    });
    this.#markerEditor = new MarkerEditor({
      markers: this.#markers,
      ui: () => this.#ui,
      notices: () => this.#screen.notices,
      users: () => this.#labels,
      user: () => this.#state.user,
      project: () => this.#state.project,
      projects: () => this.#views.view?.projects ?? [],
      cover: (user, from, to) => this.#cover(user, from, to),
    });
    this.#exports = new Exporter({ worker, clock, page: () => this.#page, query: () => this.#views.query() });
    this.#budget = new ProjectBudget({
      settings,
      server: { fetch: fetchBudget, put: putBudget },
      show: (dollars) => this.#screen.budget.set(dollars),
      failed: (reason) => {
        const text = this.#ui.t('budget.failed', { reason: serverWords(reason, this.#ui) });
        this.#screen.notices.toasts.show(text);
      },
    });
    this.#page = this.#build();
  }

  /** `asked`: the server's users. */
  async start(asked: Promise<readonly ListedUser[]>): Promise<void> {
    const hadHash = location.hash !== '';
    window.addEventListener('hashchange', () => this.#followHash());
    document.addEventListener('visibilitychange', () => document.hidden || void this.#markers.sync());
    this.#listenForKeys();
    const users = await asked;
    const loaded = this.#session.start(users);
    void this.#sendMarkers();
    void this.#budget.sync();
    const synced = this.#markers.sync();
    this.#showState();
    await loaded;
    if (!hadHash) this.#chooseSource();
    const logsRead = this.#session.agents.length > 0 ? this.#agents.start() : undefined;
    try {
      if (!this.#session.hasFiles && this.#state.source === 'csv') await this.#loadSample();
    } finally {
      this.#isLoaded = true;
    }
    this.#showState();
    history.replaceState(null, '', formatHash(this.#state));
    await this.#refresh();
    await logsRead;
    await Promise.all([this.#live.ensure(), synced]);
  }

  /** Without an address: what there is. The logs of assistants join files, and show a month: the last day may be empty. */
  #chooseSource(): void {
    const { hasFiles, tokenUsers, agents } = this.#session;
    if (tokenUsers.length > 0 && !hasFiles) this.#state = { ...this.#state, source: 'live' };
    else if (agents.length > 0) this.#state = { ...this.#state, source: 'merge' };
    if (agents.length > 0) this.#showMonth();
  }

  /** Unless a period was chosen before. */
  #showMonth(): void {
    if (this.#parts.storage.getItem('usage-analytics-time-range') !== null) return;
    this.#state = { ...this.#state, time: { ...this.#state.time, hours: 720 }, granularity: 'day' };
  }

  /** Shows that the worker has failed, without which there are no data. */
  showBroken(reason: string): void {
    this.#screen.showReady();
    this.#screen.progress.stop();
    reportBroken(reason, this.#screen.notices);
  }

  get #ui(): Ui {
    return this.#page.ui;
  }

  get #screen(): Screen {
    return this.#page.screen;
  }

  get #labels(): readonly string[] {
    return this.#session.users.map(({ label }) => label);
  }

  get #zone(): string {
    return this.#state.zone || OWN_ZONE;
  }

  #pageParts(): PageParts {
    const { clock, settings, chartsAddress } = this.#parts;
    return {
      clock,
      settings,
      chartsAddress,
      actions: this.#actions(),
      projects: () => this.#markers.projects,
      users: () => this.#session.users,
      topModels: () => this.#state.topModels,
      canFetch: () => this.#session.tokenUsers.length > 0,
      findMarker: (id) => this.#views.view?.markers.find(({ marker }) => marker.id === id),
      onZoom: (range) => {
        this.#views.zoom = range;
        void this.#refresh();
      },
      onMarkRange: (range) => this.#markerEditor.create(range),
      onDisplay: () => this.#show(),
    };
  }

  #build(before?: Page): Page {
    return new Page(this.#pageParts(), this.#zone, { state: this.#state }, before);
  }

  /** Builds the page anew in another language or zone. */
  #rebuild(): void {
    this.#page.destroy();
    this.#page = this.#build(this.#page);
    void this.#refresh();
  }

  #actions(): ScreenActions {
    return {
      onChange: (change) => this.#change(change),
      onShift: (direction) => this.#shift(direction),
      onLanguage: () => {
        this.#rebuild();
        this.#screen.header.focusLanguage();
      },
      onHelp: () => showHelp(this.#ui),
      onSample: () => void this.#loadSample(),
      onBudget: (dollars) => void this.#budget.set(dollars),
      onFilters: (filters) => this.#change({ filters, page: 1 }),
      onPage: (page) => this.#change({ page }),
      onOrder: (order) => {
        this.#views.order = order;
        this.#change({ page: 1 });
      },
      onRankByList: () => {
        this.#views.rankByList = true;
        void this.#refresh();
      },
      ...this.#markerEditor.actions,
      onPopovers: (showTablePopover) => {
        const { settings } = this.#parts;
        settings.markerDisplay = { ...settings.markerDisplay, showTablePopover };
        if (!showTablePopover) this.#page.popover.closeTables();
      },
      onFiles: (files) => void this.#addFiles(files),
      onForget: () => void this.#forgetFiles(),
      onRefresh: () => void this.#live.refresh(),
      onLogs: () => this.#agents.status && showLogs(this.#ui, this.#agents.status),
      onExportCsv: () => void this.#exports.save('csv'),
      onExportJson: () => void this.#exports.save('json'),
      onExportPicture: () => void this.#exports.savePicture(),
    };
  }

  /** Changes the state: in the address, the storage and on the screen. */
  #change(change: Partial<PageState>): void {
    const [before, zoom] = [this.#state, this.#views.zoom];
    const isOther = change.time ?? change.count ?? change.mode ?? change.source;
    this.#state = { ...before, ...change, page: change.page ?? 1 };
    if (isOther !== undefined) this.#views.zoom = undefined;
    if (change.basis !== undefined) this.#views.rankByList = false;
    this.#parts.settings.writeState(this.#state);
    const hash = formatHash(this.#state);
    if (hash !== location.hash) history.pushState(null, '', hash);
    this.#follow(before, zoom);
  }

  #followHash(): void {
    const [before, zoom] = [this.#state, this.#views.zoom];
    const { settings, clock } = this.#parts;
    this.#state = parseHash(location.hash, settings.readState(dateIn(this.#zone, clock.now())));
    if (!isSameView(before, this.#state)) this.#views.zoom = undefined;
    this.#follow(before, zoom);
  }

  /** Shows the state after another state and zoom. */
  #follow(before: PageState, zoom: ViewLoader['zoom']): void {
    const { mode, source, time, count, zone } = this.#state;
    this.#showState();
    if (zone !== before.zone) {
      this.#rebuild();
      document.getElementById('zone')?.focus();
    } else if (isSameView(before, this.#state) && zoom === this.#views.zoom) void this.#refreshTable();
    else void this.#refresh();
    const leftCount = before.mode === 'count' && mode === 'time';
    if (
      leftCount ||
      source !== before.source ||
      time !== before.time ||
      count !== before.count ||
      mode !== before.mode
    ) {
      void this.#live.ensure({ forget: leftCount });
    }
  }

  #showState(): void {
    this.#screen.showState(this.#state, this.#session.users, this.#session.tokenUsers.length > 0);
    this.#screen.toolbar.showKept(this.#session.keptFiles);
    if (this.#session.agents.length > 0) this.#screen.toolbar.showLogs();
  }

  async #refresh(): Promise<void> {
    if (this.#isLoaded) await this.#views.refresh();
  }

  async #refreshTable(): Promise<void> {
    if (this.#isLoaded) await this.#views.refreshTable();
  }

  #show(): void {
    const view = this.#views.view;
    if (!view) return;
    const state = this.#state;
    const now = this.#parts.clock.now();
    const tables = this.#screen.showView(view, state, estimateText(view, this.#agents.status, this.#ui));
    this.#screen.range.showResolved(resolvedText(state, view, this.#ui), view.interval.suggestedGranularity);
    const status = statusText(state, view, this.#session, this.#ui, now);
    this.#screen.header.showStatus(status);
    this.#screen.announce(status);
    this.#showDropZone(view);
    const { charts, screen } = this.#page;
    const { clock, settings } = this.#parts;
    const { zoom } = this.#views;
    void this.#steps.run([
      () => charts.update(view, chartStateOf(state, settings, { zone: this.#zone, zoom })),
      () => nextFrame(clock),
      ...tables,
      () => screen.showReady(),
    ]);
  }

  #showDropZone({ counts }: View): void {
    const session = this.#session;
    const { status, hasEvents } = this.#agents;
    const isEmpty = counts.loaded === 0 && !session.hasData && !hasEvents;
    if (session.isSample) this.#screen.dropZone.show('sample', []);
    else if (!isEmpty || (session.agents.length > 0 && !status)) this.#screen.dropZone.show('hidden', []);
    else if (!status) this.#screen.dropZone.show('empty', session.tried);
    else
      this.#screen.dropZone.show(
        'logs',
        status.agents.flatMap(({ folders }) => folders.map(({ path }) => path)),
      );
  }

  async #loadSample(): Promise<void> {
    await this.#session.loadSample();
    if (!this.#session.isSample) return this.#refresh();
    // A month of the sample shows more than its last day.
    if (location.hash === '') {
      this.#showMonth();
      this.#showState();
    }
    const markers = await fetchSampleMarkers().catch(() => undefined);
    if (this.#session.isSample) this.#markers.showSample(markers);
  }

  async #addFiles(files: readonly File[]): Promise<void> {
    await this.#session.addFiles(files);
    if (!this.#session.isSample) this.#markers.showSample(undefined);
    this.#showState();
    if (this.#state.source === 'live' && this.#session.hasFiles) this.#change({ source: 'merge' });
    else await this.#refresh();
  }

  async #forgetFiles(): Promise<void> {
    if (!(await confirmForget(this.#ui, this.#session.keptFiles))) return;
    await this.#session.forgetFiles();
    this.#showState();
    if (!this.#session.hasData && this.#state.source === 'csv') await this.#loadSample();
    await this.#refresh();
  }

  async #sendMarkers(): Promise<void> {
    await Promise.all([this.#parts.worker.ask({ type: 'markers', markers: this.#markers.all }), this.#refresh()]);
  }

  #cover(user: string, from: number, to: number) {
    const { source, basis } = this.#state;
    return this.#parts.worker.ask({ type: 'coverage', user, from, to, source, zone: this.#zone, costBasis: basis });
  }

  /** Moves the period by its own length. */
  #shift(direction: -1 | 1): void {
    const span = this.#views.view?.interval.span;
    if (!span || this.#state.mode !== 'time') return;
    this.#change({ time: shiftPeriod(this.#state.time, span, this.#zone, direction) });
  }

  #nextTheme(): void {
    const theme = THEMES[(THEMES.indexOf(shownTheme()) + 1) % THEMES.length] ?? 'system';
    chooseTheme(theme);
    this.#screen.header.showTheme(theme);
  }

  #listenForKeys(): void {
    listenForShortcuts({
      search: () => this.#screen.requests.focusFilter(),
      granularity: (granularity) => this.#state.mode === 'time' && this.#change({ granularity }),
      toggleMode: () => this.#change({ mode: this.#state.mode === 'time' ? 'count' : 'time' }),
      source: (source) => this.#change({ source }),
      newMarker: () => this.#markerEditor.create(),
      shift: (direction) => this.#shift(direction),
      resetZoom: () => this.#page.charts.resetZoom(),
      toggleCompare: () => this.#change({ compare: !this.#state.compare }),
      nextTheme: () => this.#nextTheme(),
      help: () => showHelp(this.#ui),
    });
  }
}
