import { test } from 'node:test';
import { isLongRound } from '../testing/long-round.ts';
import { openBrowserSdks } from './testing/browser.ts';
import { playEverywhere, WORLDS } from './testing/scenario.ts';

// LaunchDarkly's and OpenFeature's clients for browsers, in Chromium and from another origin, against the executable.

// A browser sees no difference between a flag file, which the clients in Node use too, and upstream.
const worlds = isLongRound ? WORLDS : WORLDS.filter(([name]) => name !== 'a flag file');

test('clients in Chromium', { only: isLongRound, concurrency: true }, async (t) => {
  await playEverywhere(t, await openBrowserSdks(t), worlds);
});
