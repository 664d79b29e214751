import type { Visibility } from './poller.ts';

/** The visibility of the browser's tab. */
export const tabVisibility: Visibility = {
  visible: () => !document.hidden,
  watch(action) {
    document.addEventListener('visibilitychange', action);
    return () => document.removeEventListener('visibilitychange', action);
  },
};
