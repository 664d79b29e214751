import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { boolean, listOf, number, text } from '../settings/kind.ts';
import { setting } from '../settings/settings.ts';
import { addSettings, durationFlag, readFlags, repeated, writtenFlags } from './flags.ts';

const TABLE = {
  maxSize: setting('--max.size-bytes <n>', number(1), 'the largest', { default: '7' }),
  names: setting('--name <name>', listOf(text), 'names'),
  sockets: setting('--sockets', boolean, 'listen', { isNegatable: true }),
  presence: setting('--no-presence', boolean, 'hide', { default: 'true' }),
  old: setting('--old <x>', text, 'gone', { isHidden: true }),
  variable: { kind: text, variable: 'X' },
};

function parse(...args: readonly string[]): Command {
  const command = addSettings(new Command(), TABLE)
    .exitOverride()
    .configureOutput({ writeErr() {} });
  return command.parse(args, { from: 'user' });
}

test('flags are read by the keys of their table', () => {
  assert.deepEqual(writtenFlags(parse(), TABLE), {});
  const args = ['--max.size-bytes', '5', '--name=a', '--name=b', '--no-sockets', '--no-presence', '--old', 'x'];
  const command = parse(...args);
  assert.deepEqual(writtenFlags(command, TABLE), {
    maxSize: '5',
    names: ['a', 'b'],
    sockets: false,
    presence: false,
    old: 'x',
  });
  assert.deepEqual(readFlags(command, TABLE), {
    maxSize: 5,
    names: ['a', 'b'],
    sockets: false,
    presence: false,
    old: 'x',
    variable: undefined,
  });
});

test('invalid values of flags are all named at once', () => {
  assert.throws(() => readFlags(parse('--max.size-bytes=0', '--name= '), TABLE), {
    message:
      'the configuration is refused:\n  --max.size-bytes: "0" is invalid; write a whole number of at least 1\n  --name: [" "] is invalid; write a text',
    exitCode: 2,
  });
});

test('the help shows the flags, except hidden ones', () => {
  const help = parse().helpInformation();
  assert.match(help, /--max\.size-bytes <n> +the largest \(default: 7\)/);
  assert.match(help, /--no-presence +hide\n/);
  assert.doesNotMatch(help, /--old|--no-sockets/);
});

function parseRepeated(args: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  command.option('--at <address>', '', repeated(durationFlag), [1]);
  return command.parse(args, { from: 'user' }).opts().at;
}

test('a repeated flag collects its values; the first one replaces the default', () => {
  assert.deepEqual(parseRepeated([]), [1]);
  assert.deepEqual(parseRepeated(['--at', '5ms']), [5]);
  assert.deepEqual(parseRepeated(['--at', '5ms', '--at', '7ms', '--at', '5ms']), [5, 7, 5]);
  assert.deepEqual(parseRepeated(['--at', '9ms']), [9], 'another program starts anew');
});

test('an invalid argument of a client command is wrong usage, with the correct form', () => {
  assert.throws(() => parseRepeated(['--at', '5ms', '--at', 'x']), {
    code: 'commander.invalidArgument',
    message: /Write a duration such as 90s, 15m or 120h\.$/,
  });
});
