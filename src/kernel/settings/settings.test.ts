import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../errors.ts';
import { boolean, listenPort, listOf, oneOf, text } from './kind.ts';
import {
  flagLayer,
  helpOf,
  readSettings,
  refuseConfig,
  setting,
  valuesOf,
  variableLayer,
  withVariables,
} from './settings.ts';

const TABLE = withVariables('X_', {
  port: setting('--port <port>', listenPort, 'where to listen', { default: '8065' }),
  level: setting('--level <level>', oneOf(['debug', 'info']), 'the least', { variable: 'LEVEL' }),
  names: setting('--name <name>', listOf(text), 'names'),
  presence: setting('--no-presence', boolean, 'hide', { default: 'true' }),
  'api-key': setting('--api-key <key>', oneOf(['right']), 'the key', { isSecret: true }),
  old: setting('--old <x>', text, 'gone', { refusal: 'it is gone; leave it out' }),
});

function read(flags: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  const problems: string[] = [];
  const layers = [variableLayer((name) => env[name]), flagLayer(flags)];
  return { given: readSettings(TABLE, layers, problems), problems };
}

test('values without a layer are defaults; settings without a default are absent', () => {
  const values = valuesOf(TABLE);
  assert.deepEqual(values, {
    port: 8065,
    level: undefined,
    names: [],
    presence: true,
    'api-key': undefined,
    old: undefined,
  });
  // The types follow from the table.
  const typed: { port: number; level: 'debug' | 'info' | undefined; names: readonly string[]; presence: boolean } =
    values;
  assert.equal(typed.port, 8065);
});

test('a later layer takes precedence over an earlier one, and an empty variable counts as not set', () => {
  const { given, problems } = read({ port: '1', presence: false }, { X_PORT: '2', LEVEL: 'info', X_NAMES: ' ' });
  assert.deepEqual(problems, []);
  assert.deepEqual(given, {
    port: { value: 1, place: '--port' },
    level: { value: 'info', place: 'LEVEL' },
    presence: { value: false, place: '--no-presence' },
  });
  assert.equal(valuesOf(TABLE, given).presence, false);
});

test('a problem names the flag or variable, its value and the allowed values; all are reported at once', () => {
  const { given, problems } = read({ port: 'x', level: 'loud' }, { X_PORT: '-1' });
  assert.deepEqual(given, {});
  assert.deepEqual(problems, [
    'X_PORT: "-1" is invalid; write a whole number from 0 to 65535',
    '--port: "x" is invalid; write a whole number from 0 to 65535',
    '--level: "loud" is invalid; write debug or info',
  ]);
});

test('no problem quotes a secret, a possible password, or a long value', () => {
  assert.deepEqual(read({ 'api-key': 'hunter2' }).problems, ['--api-key: the value is invalid; write right']);
  assert.deepEqual(read({ port: 'http://a:hunter2@b' }).problems, [
    '--port: "…@b" is invalid; write a whole number from 0 to 65535',
  ]);
  assert.ok((read({ port: 'x'.repeat(1000) }).problems[0]?.length ?? 0) < 200);
});

test('a removed setting is refused whatever its value', () => {
  assert.deepEqual(read({ old: 'a' }).problems, ['--old: it is gone; leave it out']);
});

test('the help shows words, default and variable in one form', () => {
  assert.equal(helpOf(TABLE.port), 'where to listen (default: 8065; variable: X_PORT)');
  assert.equal(helpOf(TABLE.level), 'the least (debug or info; variable: LEVEL)');
  assert.equal(helpOf(TABLE.presence), 'hide (variable: X_PRESENCE)');
  assert.equal(helpOf(setting('--x', text, 'it', { otherwise: 'none' })), 'it (default: none)');
  assert.equal(helpOf(setting('--x', text, 'it')), 'it');
});

test('one problem is the error itself, several are listed; the exit code is 2', () => {
  assert.deepEqual(refuseConfig(['a']), new CommandError('a', 2));
  assert.equal(refuseConfig(['a', 'b']).message, 'the configuration is refused:\n  a\n  b');
});
