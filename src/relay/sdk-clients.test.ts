import { test } from 'node:test';
import { playEverywhere } from './testing/scenario.ts';
import { NODE_SDKS, shortenPolls } from './testing/sdks.ts';

// LaunchDarkly's and OpenFeature's clients for Node, against the executable.

test('clients in Node', { concurrency: true }, async (t) => {
  shortenPolls(t);
  await playEverywhere(t, NODE_SDKS);
});
