import { test } from 'node:test';
import { openBrowserSdks } from './testing/browser.ts';
import { playEverywhere } from './testing/scenario.ts';

// LaunchDarkly's and OpenFeature's clients for browsers, in Chromium and from another origin, against the executable.

test('clients in Chromium', { concurrency: true }, async (t) => {
  await playEverywhere(t, await openBrowserSdks(t));
});
