import { test } from 'node:test';
import { HANG_MS } from '../../../testing/eventually.ts';
import { assertLinear } from '../../../testing/linear-time.ts';
import { lowerCase, TEXT_FUNCTIONS, titleCase, unescapeQuery, upperCase } from './text.ts';

const NO_CONTEXT = { spend() {}, now: () => 0, routeLabel: () => '' };

const functions: Readonly<Record<string, (text: string) => unknown>> = {
  trimSpace: (text) => TEXT_FUNCTIONS.trimSpace?.call([text], NO_CONTEXT),
  title: titleCase,
  toUpper: upperCase,
  toLower: lowerCase,
  urlUnescape: unescapeQuery,
};

for (const [name, call] of Object.entries(functions)) {
  test(`${name}: the time grows no faster than the label`, { timeout: HANG_MS }, () => {
    for (const piece of [' ', 'a ', '\u2003', "Σ'", '.', 'a\u0301'])
      assertLinear(JSON.stringify(piece), (length) => `x${piece.repeat(length / piece.length)}x`, call);
  });
}
