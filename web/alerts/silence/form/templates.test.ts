import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SilenceTemplate, SilenceTemplates } from './templates.ts';

function storageWith(text: string | null = null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  };
}

const template = (name: string, comment = 'why'): SilenceTemplate => ({
  name,
  matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true }],
  durationMs: 3_600_000,
  comment,
  expiresWhenResolved: true,
});

test('templates are kept by name, and a name once', () => {
  const storage = storageWith();
  const templates = new SilenceTemplates(storage);
  for (const one of [template('deploy'), template('backup'), template('deploy', 'new')]) {
    assert.equal(templates.keep(one), true);
  }
  assert.deepEqual(new SilenceTemplates(storage).list(), [template('backup'), template('deploy', 'new')]);
  templates.forget('backup');
  assert.deepEqual(templates.list(), [template('deploy', 'new')]);
});

test('a damaged value or a forbidden storage holds no templates', () => {
  for (const text of ['{', '{}', 'null', '[null, 3, {"name": "x"}]']) {
    assert.deepEqual(new SilenceTemplates(storageWith(text)).list(), []);
  }
  const refuse = () => {
    throw new Error('forbidden');
  };
  const forbidden = new SilenceTemplates({ getItem: refuse, setItem: refuse });
  assert.deepEqual(forbidden.list(), []);
  assert.equal(forbidden.keep(template('x')), false);
});
