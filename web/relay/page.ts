import type { ActivityReport, EnvironmentActivity } from '../../src/relay/contract/page.ts';
import type { Api } from './api.ts';
import type { Route } from './route.ts';
import type { Ui } from './ui.ts';

/** The context of every section of the page. */
export interface PageContext {
  readonly ui: Ui;
  readonly api: Api;
  /** The hash of a flag of the shown environment; without a key that of the list. */
  readonly hashOf: (key?: string) => string;
  /** Asks the relay for its state now. */
  readonly refresh: () => void;
  /** Shows that the relay did not answer, or asks for the token. */
  readonly onFailure: (error: unknown) => void;
}

/** The state of the relay, as last received. */
export interface Shown {
  readonly report: ActivityReport;
  readonly environment: EnvironmentActivity;
}

/** A section in the main part of the document. */
export interface Section {
  readonly element: HTMLElement;
  /** Shows a new state or another route of this section. */
  update(shown: Shown, route: Route): void;
  focusSearch?(): void;
}
