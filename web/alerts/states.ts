import type { Child } from '../shared/dom.ts';
import { h } from '../shared/dom.ts';
import { ApiError } from './api.ts';
import { t } from './text.ts';

/** The placeholder for an empty, loading or failed list. */
export function stateBox(title: string, text: string, ...actions: readonly Child[]): HTMLElement {
  return h(
    'div',
    { class: 'state' },
    h('p', { class: 'state-title' }, title),
    text !== '' && h('p', {}, text),
    actions.length > 0 && h('p', { class: 'actions' }, actions),
  );
}

export function loadingBox(what: string): HTMLElement {
  return h('div', { class: 'state loading', 'aria-busy': 'true' }, h('p', {}, t('state.loading', { what })));
}

/** The error of a failed load, with a button to retry. */
export function errorBox(what: string, error: ApiError, retry: () => void): HTMLElement {
  const title = error.kind === 'unreachable' ? t('state.unreachable') : t('state.failed', { what });
  const text = error.kind === 'unreachable' ? t('state.unreachable.text') : error.message;
  return stateBox(title, text, h('button', { type: 'button', onclick: retry }, t('state.retry')));
}

/** Returns an error of the API; rethrows any other, which is a bug of the page, for the console. */
export function expectApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
