import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command, InvalidArgumentError, Option } from 'commander';
import { countFlag, durationFlag, inAnyCase, intervalFlag, listenAddressFlag, repeated } from './flags.ts';

const taken: readonly (readonly [read: (text: string) => unknown, text: string, value: unknown])[] = [
  [durationFlag, '0', 0],
  [durationFlag, '1h30m', 5_400_000],
  [durationFlag, '1.5h', 5_400_000],
  [durationFlag, '5d', 432_000_000],
  [intervalFlag, '1ms', 1],
  [intervalFlag, '15m', 900_000],
  [countFlag, '0', 0],
  [countFlag, '512', 512],
  [countFlag, '-7', 0],
  [countFlag, '999999999999999', 999_999_999_999_999],
  [listenAddressFlag, ':9093', { host: undefined, port: 9093 }],
];

for (const [read, text, value] of taken) test(`${read.name} takes ${text}`, () => assert.deepEqual(read(text), value));

const refused: readonly (readonly [read: (text: string) => unknown, text: string, hint: RegExp])[] = [
  [durationFlag, '-1s', /such as 90s, 15m or 120h/],
  [durationFlag, '5 minutes', /such as 90s, 15m or 120h/],
  [durationFlag, '', /such as/],
  [intervalFlag, '0', /at least 1ms/],
  [intervalFlag, '999us', /at least 1ms/],
  [intervalFlag, 'soon', /such as 90s/],
  [countFlag, '1.5', /whole number/],
  [countFlag, '', /whole number/],
  [countFlag, '1e3', /whole number/],
  [countFlag, '9999999999999999', /whole number/],
  [listenAddressFlag, 'vsock://:9093', /cannot listen on the sockets of virtual machines/],
  [listenAddressFlag, '9093', /such as :9093, 127\.0\.0\.1:9093 or \[::1\]:9093/],
];

for (const [read, text, hint] of refused) {
  test(`${read.name} refuses ${JSON.stringify(text)} and says what to write`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof InvalidArgumentError && hint.test(error.message),
    );
  });
}

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

test('a bad value of a repeated flag is the fault of the command line', () => {
  assert.throws(() => parseRepeated(['--at', '5ms', '--at', 'x']), { code: 'commander.invalidArgument' });
});

test('the words of an option are taken in any case, and no others', () => {
  const { parseArg } = inAnyCase(new Option('--level <level>').choices(['debug', 'info']));
  assert.equal(parseArg?.('DEBUG', undefined), 'debug');
  assert.throws(() => parseArg?.('loud', undefined), /Allowed choices are debug, info/);
});
