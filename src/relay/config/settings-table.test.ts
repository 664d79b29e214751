import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SettingsTable } from '../../kernel/settings/settings.ts';
import { problemsOf } from '../testing/config.ts';
import { FOREIGN_SECTIONS, NAMED_SECTIONS, SINGLE_SECTIONS } from './settings.ts';
import { LD_RELAY_SETTINGS } from './testdata/ld-relay-settings.ts';

// The table of docs/relay.md says of every setting of ld-relay what becomes of it here.

interface Row {
  readonly section: string;
  readonly settings: readonly (readonly [key: string, variable: string])[];
  readonly words: string;
}

function readRows(): readonly Row[] {
  const [, text = ''] = readFileSync('docs/relay.md', 'utf8').split('\n## Every setting of ld-relay\n');
  const table = text.slice(0, text.indexOf('\n## '));
  return [...table.matchAll(/^\| \[(\w+)\] \| (.*) \| (.*) \|$/gm)].map(([, section = '', cells = '', words = '']) => ({
    section,
    settings: [...cells.matchAll(/`(\w+)` `(\w+)`/g)].map(([, key = '', variable = '']) => [key, variable]),
    words,
  }));
}

/** The variable of a named thing ends in its name. */
const shown = (variable: string): string => (variable.endsWith('_') ? `${variable}N` : variable);

/** The variable that turns a section on. */
function switchOf(section: string): string {
  const [, , variable] = LD_RELAY_SETTINGS.find(([name, key]) => name === section && /^(enabled|key)$/.test(key)) ?? [];
  assert.ok(variable);
  return variable;
}

const SECTIONS: Readonly<Record<string, SettingsTable>> = { ...SINGLE_SECTIONS, ...NAMED_SECTIONS };

test('the table has every setting of ld-relay, once', () => {
  const listed = readRows().flatMap(({ section, settings }) =>
    settings.map(([key, variable]) => `${section} ${key} ${variable}`),
  );
  const expected = LD_RELAY_SETTINGS.map(([section, key, variable]) => `${section} ${key} ${shown(variable)}`);
  assert.deepEqual([...listed].sort(), [...expected].sort());
});

for (const { section, settings, words } of readRows()) {
  for (const [key, variable] of settings) {
    test(`[${section}] ${key} is ${words}`, () => {
      const setting = SECTIONS[section]?.[key];
      if (words.startsWith('refused: ')) {
        const isForeign = section in FOREIGN_SECTIONS;
        const problems = problemsOf({ variables: { [isForeign ? switchOf(section) : variable]: 'true' } });
        assert.ok(
          problems.some((problem) => problem.endsWith(words.replace('refused: ', ''))),
          problems.join('\n'),
        );
        return;
      }
      assert.ok(setting, 'the setting is not read');
      assert.equal(shown(setting.variable ?? ''), variable);
      if (setting.withoutEffect === undefined) assert.match(words, /^taken\b/);
      else assert.equal(words, `no effect: ${setting.withoutEffect}`);
    });
  }
}
