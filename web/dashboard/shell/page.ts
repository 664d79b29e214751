import type { MarkerView, TimeSpan } from '../../../src/dashboard/domain/view.ts';
import type { Clock } from '../../shared/clock.ts';
import { readLanguage } from '../../shared/language.ts';
import { ChartsHost } from '../charts-host.ts';
import type { ToolbarUser } from '../controls/toolbar.ts';
import type { Settings } from '../data/settings.ts';
import type { TopModels } from '../data/state.ts';
import { MarkerPopover } from '../marker/popover.ts';
import { createFormat, localeOf } from '../text/format.ts';
import { reportNoCharts } from '../text/notice-texts.ts';
import { createTranslate } from '../text/translate.ts';
import { pagePalette } from './palette.ts';
import type { ScreenActions, ScreenStart } from './screen.ts';
import { Screen } from './screen.ts';
import type { Ui } from './ui.ts';

export interface PageParts {
  readonly clock: Clock;
  readonly settings: Settings;
  /** Address of the charts' code. */
  readonly chartsAddress: string;
  readonly actions: ScreenActions;
  projects(): readonly string[];
  users(): readonly ToolbarUser[];
  canFetch(): boolean;
  topModels(): TopModels;
  findMarker(id: string): MarkerView | undefined;
  onZoom(range: TimeSpan | undefined): void;
  onMarkRange(range: TimeSpan): void;
  /** The display of markers has changed. */
  onDisplay(): void;
}

/** Screen, charts and popover in one language and zone. */
export class Page {
  readonly ui: Ui;
  readonly screen: Screen;
  readonly charts: ChartsHost;
  readonly popover: MarkerPopover;

  /** Builds it into the document, replacing `before`. `zone` is an IANA name. */
  constructor(parts: PageParts, zone: string, start: Omit<ScreenStart, 'budget' | 'hasPopovers'>, before?: Page) {
    const { settings } = parts;
    this.ui = createUi(parts, zone);
    const { t } = this.ui;
    document.documentElement.lang = this.ui.language;
    document.title = `${t('title')} · opsdeck`;
    const palette = pagePalette(() => parts.projects());
    const { showTablePopover } = settings.markerDisplay;
    const all: ScreenStart = { ...start, budget: settings.budget, hasPopovers: showTablePopover };
    this.screen = new Screen(this.ui, palette, all, parts.actions, before?.screen);
    this.popover = new MarkerPopover(this.ui, {
      palette,
      find: (id) => parts.findMarker(id),
      onEdit: (id) => parts.actions.onEditMarker(id),
      isOnForTables: () => settings.markerDisplay.showTablePopover,
    });
    this.screen.mount(document.body);
    document.body.append(this.popover.element);
    this.charts = this.#mountCharts(parts);
    this.screen.showState(start.state, parts.users(), parts.canFetch());
    this.screen.header.showStatus(t('status.loading'));
    this.screen.showBusy();
  }

  destroy(): void {
    this.charts.destroy();
    this.popover.destroy();
    this.screen.destroy();
  }

  #mountCharts(parts: PageParts): ChartsHost {
    const { notices } = this.screen;
    reportNoCharts(false, notices);
    return new ChartsHost(this.screen.charts, {
      ui: this.ui,
      settings: parts.settings,
      address: parts.chartsAddress,
      topModels: () => parts.topModels(),
      onTopModels: (topModels) => parts.actions.onChange({ topModels }),
      onZoom: (range) => parts.onZoom(range),
      onMarker: (hit) => this.popover.hover(hit),
      onMarkRange: (range) => parts.onMarkRange(range),
      onNewMarker: () => parts.actions.onNewMarker(),
      onDisplay: () => parts.onDisplay(),
      onFailure: () => reportNoCharts(true, notices),
    });
  }
}

function createUi({ clock }: PageParts, zone: string): Ui {
  const language = readLanguage();
  const locale = localeOf(language, navigator.languages);
  return { t: createTranslate(language, locale), format: createFormat(locale, zone), language, clock };
}
