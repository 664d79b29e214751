import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContext } from '../../../src/relay/domain/context/json.ts';
import { planSwitch } from '../../../src/relay/file-source/edit/flag-change.ts';
import { readFlagFiles } from '../../../src/relay/file-source/flag-file.ts';
import { unsaidPatterns } from '../../../src/testing/sentences.ts';
import { GERMAN, serverWords } from './server-words.ts';

test('every sentence with German is one of the relay', () =>
  assert.deepEqual(
    unsaidPatterns(
      GERMAN.map(([english]) => english),
      'src/relay',
    ),
    [],
  ));

test('a context that is refused has a German reason, with the example', () => {
  for (const context of [
    1,
    {},
    { key: null },
    { kind: 'user' },
    { kind: '' },
    { kind: 'a b', key: 'x' },
    { kind: 'multi' },
  ]) {
    const read = readContext(context);
    assert.ok(!read.ok);
    const english = `context: ${read.reason}, such as {"key": "ada"}`;
    const german = serverWords(english, 'de');
    assert.match(german, /^Kontext: .*, richtig wäre etwa \{"key": "ada"\}$/, english);
    assert.equal(serverWords(english, 'en'), english);
  }
});

test('faults of flag files are German line by line, each with its place', () => {
  const files = [
    { name: 'a.yml', text: 'flags: {x: {key: y}}\nsegments: 1\n' },
    { name: 'b.yml', text: '' },
    { name: 'c.json', text: '{"flagValues": {"a": 1, "a": 2}}' },
  ];
  const read = readFlagFiles(files);
  assert.ok(!read.ok);
  assert.equal(
    serverWords(read.reason, 'de'),
    [
      'a.yml:1: Flag "x": Sein Schlüssel ist "y"',
      'a.yml:2: segments: kein Objekt',
      'b.yml:1: Die Datei ist leer',
      'c.json:1: "a" kommt in einem Objekt doppelt vor',
    ].join('\n'),
  );
});

test('a flag that is not switched has a German reason', () => {
  const plan = planSwitch({ flagValues: { a: 1 } }, 'a', true);
  assert.ok(plan && !plan.ok);
  assert.equal(
    serverWords(plan.reason, 'de'),
    'Es ist nur ein Wert (flagValues) ohne Schalter; `opsdeck relay set` ändert den Wert',
  );
  assert.equal(
    serverWords('flag "a" has changed meanwhile; look at it and repeat the change', 'de'),
    'Das Flag "a" wurde inzwischen geändert; ansehen und die Änderung wiederholen',
  );
});

test('lines of the log keep their fields, of which the reason is German; and the words of others stay', () => {
  assert.equal(
    serverWords('events were not accepted (what: events, status: 413)', 'de'),
    'Ereignisse wurden nicht angenommen (what: events, status: 413)',
  );
  assert.equal(
    serverWords(
      'The flags cannot be read, there are no flags to serve (path: f, reason: f:1: the file is empty)',
      'de',
    ),
    'Die Flags lassen sich nicht lesen, es gibt keine zum Ausliefern (path: f, reason: f:1: Die Datei ist leer)',
  );
  assert.equal(serverWords('something else', 'de'), 'something else');
});
