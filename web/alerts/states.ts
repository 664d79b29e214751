import { h } from '../shared/dom.ts';
import { loadingBox as loading, stateBox } from '../shared/shell/states.ts';
import { ApiError } from './api.ts';
import { t } from './text.ts';

export { stateBox };

export const loadingBox = (what: string): HTMLElement => loading(t('state.loading', { what }));

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
