import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentFragments } from './recent-fragments.ts';

/** A fragment as far as it is needed: a copy is another object. */
class Fragment {
  constructor(readonly text: string) {}

  cloneNode(): Fragment {
    return new Fragment(this.text);
  }
}

const fragment = (text: string) => new Fragment(text);

test('the result for a text is kept, and handed out as a copy', () => {
  const fragments = new RecentFragments<Fragment>(10);
  const made = fragment('a');
  fragments.keep('a', made);
  assert.notEqual(fragments.get('a'), made);
  assert.equal(fragments.get('a')?.text, 'a');
  assert.equal(fragments.get('b'), undefined);
});

test('the oldest is dropped when the total is too long', () => {
  const fragments = new RecentFragments<Fragment>(10);
  for (const text of ['aaaa', 'bbbb', 'aaaa', 'cccc']) fragments.keep(text, fragment(text));
  assert.deepEqual(
    ['aaaa', 'bbbb', 'cccc'].filter((text) => fragments.get(text)),
    ['aaaa', 'cccc'],
  );
  fragments.keep('d'.repeat(11), fragment('d'));
  assert.equal(fragments.get('d'.repeat(11)), undefined);
  assert.equal(fragments.get('cccc'), undefined);
});
