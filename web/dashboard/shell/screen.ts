import type { TableColumn, TablePage } from '../../../src/dashboard/domain/table-page.ts';
import type { View } from '../../../src/dashboard/domain/view.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Language } from '../../shared/language.ts';
import { nextFrame } from '../../shared/task.ts';
import { placeholders } from '../charts-host.ts';
import { BudgetPanel } from '../controls/budget-panel.ts';
import { PopoverSwitch } from '../controls/popover-switch.ts';
import { RangePanel } from '../controls/range-panel.ts';
import type { ToolbarParts, ToolbarUser } from '../controls/toolbar.ts';
import { Toolbar } from '../controls/toolbar.ts';
import type { PageState, RequestFilters } from '../data/state.ts';
import { KpiRow } from '../kpi-row.ts';
import { MarkerTable } from '../marker/table.ts';
import { DropZone } from '../notice/drop-zone.ts';
import { Notices } from '../notice/notices.ts';
import { ProgressBar } from '../notice/progress-bar.ts';
import type { Palette } from '../table/cells.ts';
import { DailyTable } from '../table/daily-table.ts';
import type { Order } from '../table/data-table.ts';
import { RequestsTable } from '../table/requests-table.ts';
import { TopTable } from '../table/top-table.ts';
import { PageHeader } from './header.ts';
import type { Ui } from './ui.ts';

/** The actions of the page. */
export interface ScreenActions extends Omit<ToolbarParts, 'onSource' | 'onUser' | 'onProject'> {
  onChange(change: Partial<PageState>): void;
  onShift(direction: -1 | 1): void;
  onLanguage(language: Language): void;
  onHelp(): void;
  onSample(): void;
  onBudget(dollars: number): void;
  onFilters(filters: RequestFilters): void;
  onPage(page: number): void;
  onOrder(order: Order<TableColumn>): void;
  onRankByList(): void;
  onNewMarker(): void;
  onEditMarker(markerId: string): void;
  onEndMarker(markerId: string): void;
  onPopovers(isOn: boolean): void;
}

export interface ScreenStart {
  readonly state: PageState;
  readonly budget: number;
  readonly hasPopovers: boolean;
}

/** Width of a chart's axes. */
const AXES_PX = 140;

const SECTIONS = ['overview', 'details', 'markers', 'daily', 'top', 'individual'] as const;
/** Placeholders until the charts arrive; with another number of charts the page only jumps. */
const DETAIL_CHARTS = 9;

/** All visible parts in one language and zone; another language or zone builds another screen. */
export class Screen {
  readonly header: PageHeader;
  readonly toolbar: Toolbar;
  readonly range: RangePanel;
  readonly notices: Notices;
  readonly progress: ProgressBar;
  readonly dropZone: DropZone;
  readonly requests: RequestsTable;
  /** Holds the sections of charts. */
  readonly charts: HTMLElement;
  readonly #kpis: KpiRow;
  readonly budget: BudgetPanel;
  readonly #markers: MarkerTable;
  readonly #daily: DailyTable;
  readonly #top: TopTable;
  readonly #main = h('main', { id: 'main', tabindex: -1, 'aria-busy': 'true' });
  readonly #disclaimer = h('p');
  readonly #live = h('p', { class: 'off-screen', role: 'status' });
  readonly #ui: Ui;
  #page: TablePage | undefined;
  #isFilled = false;

  /** Takes over the notices and progress of `before`. */
  constructor(ui: Ui, palette: Palette, start: ScreenStart, actions: ScreenActions, before?: Screen) {
    this.#ui = ui;
    setText(this.#disclaimer, ui.t('disclaimer'));
    const popovers = new PopoverSwitch(start.hasPopovers, (isOn) => actions.onPopovers(isOn));
    this.header = new PageHeader(ui, this.#main, actions);
    this.toolbar = new Toolbar(ui, {
      ...pick(actions),
      onSource: (source) => actions.onChange({ source }),
      onUser: (user) => actions.onChange({ user }),
      onProject: (project) => actions.onChange({ project }),
    });
    this.range = new RangePanel(ui, start.state, actions);
    this.notices = before?.notices ?? new Notices(ui);
    this.progress = before?.progress ?? new ProgressBar(ui);
    this.notices.speak(ui);
    this.progress.speak(ui);
    this.dropZone = new DropZone(ui, {
      onPick: () => this.toolbar.pickFiles(),
      onFiles: (files) => actions.onFiles(files),
      onSample: () => actions.onSample(),
    });
    this.#kpis = new KpiRow(ui);
    this.budget = new BudgetPanel(ui, start.budget, (dollars) => actions.onBudget(dollars));
    const shared = { palette, popovers };
    this.#markers = new MarkerTable(ui, {
      ...shared,
      onNew: () => actions.onNewMarker(),
      onEdit: (id) => actions.onEditMarker(id),
      onEndNow: (id) => actions.onEndMarker(id),
    });
    this.#daily = new DailyTable(ui, palette);
    this.#top = new TopTable(ui, { ...shared, onRankByList: () => actions.onRankByList() });
    this.requests = new RequestsTable(ui, {
      ...shared,
      onFilters: (filters) => actions.onFilters(filters),
      onPage: (page) => actions.onPage(page),
      onOrder: (order) => actions.onOrder(order),
    });
    this.charts = this.#layOut();
    this.#main.append(this.charts);
  }

  /** Width of the overview's plot in pixels of the screen, at most two per CSS pixel. */
  get plotWidth(): number {
    return (this.charts.clientWidth - AXES_PX) * Math.min(2, Math.max(1, devicePixelRatio));
  }

  mount(body: HTMLElement): void {
    body.replaceChildren(
      this.header.element,
      this.toolbar.element,
      h('div', { class: 'frame' }, this.#sections(), this.#main),
      h('footer', { class: 'foot' }, this.#disclaimer),
      // In the corner, where they move no other element.
      h('div', { class: 'corner' }, this.notices.toasts.element, this.progress.element),
      this.dropZone.overlay,
      this.#live,
    );
  }

  /**
   * Shows sums and tables. The first time the tables are returned as steps for the caller: charts go first. `estimate`
   * says what estimated costs are.
   */
  showView(view: View, state: PageState, estimate: string | undefined): readonly (() => void)[] {
    this.#kpis.show(view, state.basis, estimate);
    this.toolbar.showProjects(view.projects, state.project);
    setText(this.#disclaimer, this.#ui.t(estimate === undefined ? 'disclaimer' : 'disclaimer.estimates'));
    this.budget.show(view.budget);
    const tables = [
      () => this.#markers.show(view),
      () => this.#daily.show(view),
      () => this.#top.show(view, state.basis),
    ];
    const isFirst = !this.#isFilled;
    this.#isFilled = true;
    if (isFirst) return tables;
    for (const show of tables) show();
    return [];
  }

  /** All parts show the newest answer. */
  showReady(): void {
    this.#main.removeAttribute('aria-busy');
  }

  /** The charts go first: the table is at the end of the page. */
  async showTable(page: TablePage): Promise<void> {
    this.#page = page;
    await nextFrame(this.#ui.clock);
    if (page === this.#page) this.requests.show(page);
  }

  showState(state: PageState, users: readonly ToolbarUser[], canFetch: boolean): void {
    this.toolbar.show(state, users, canFetch);
    this.range.show(state);
    this.requests.showState(state);
  }

  showBusy(): void {
    this.#main.setAttribute('aria-busy', 'true');
  }

  /** Announces a text to screen readers. */
  announce(text: string): void {
    setText(this.#live, text);
  }

  destroy(): void {
    this.header.close();
    this.dropZone.destroy();
  }

  #layOut(): HTMLElement {
    const { t } = this.#ui;
    return h(
      'div',
      { class: 'content' },
      this.notices.element,
      this.dropZone.element,
      this.range.element,
      h('div', { class: 'summary' }, this.#kpis.element, this.budget.element),
      h(
        'section',
        { id: 'overview', class: 'charts-main', 'aria-label': t('section.overview'), 'data-charts': 'overview' },
        placeholders(2),
      ),
      h(
        'section',
        { id: 'details', class: 'charts-grid', 'aria-label': t('section.details'), 'data-charts': 'details' },
        placeholders(DETAIL_CHARTS),
      ),
      this.#markers.element,
      this.#daily.element,
      this.#top.element,
      this.requests.element,
    );
  }

  #sections(): HTMLElement {
    const { t } = this.#ui;
    const go = (event: Event, section: string) => {
      event.preventDefault();
      document.getElementById(section)?.scrollIntoView();
    };
    const links = SECTIONS.map((section) =>
      h(
        'li',
        {},
        h('a', { href: `#${section}`, onclick: (event: Event) => go(event, section) }, t(`section.${section}`)),
      ),
    );
    return h('nav', { class: 'side', 'aria-label': t('sections') }, h('ul', {}, links));
  }
}

/** The toolbar's part of the actions. */
function pick(actions: ScreenActions): Omit<ToolbarParts, 'onSource' | 'onUser' | 'onProject'> {
  return {
    onFiles: (files) => actions.onFiles(files),
    onForget: () => actions.onForget(),
    onRefresh: () => actions.onRefresh(),
    onLogs: () => actions.onLogs(),
    onExportCsv: () => actions.onExportCsv(),
    onExportJson: () => actions.onExportJson(),
    onExportPicture: () => actions.onExportPicture(),
    onExportMarkers: () => actions.onExportMarkers(),
    onImportMarkers: (file) => actions.onImportMarkers(file),
  };
}
