import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import { ActiveConfig } from './active-config.ts';
import type { AlertmanagerConfig } from './alertmanager-config.ts';
import { ConfigSource } from './config-source.ts';

function temporaryFile(t: Cleanup, text: string): string {
  const file = join(temporaryFolder(t), 'alertmanager.yml');
  writeFileSync(file, text);
  return file;
}

const sourceOf = (file: string | undefined) => new ConfigSource(file, { matcherMode: 'fallback' });

function load(source: { read(): ReturnType<ConfigSource['read']> }): AlertmanagerConfig {
  const read = source.read();
  assert.ok(read.ok, read.ok ? '' : read.reason);
  return read.value;
}

const FIRST = 'route: {receiver: a}\nreceivers: [{name: a}]\n';
const SECOND = 'route: {receiver: b}\nreceivers: [{name: b}]\n';

test('without a file there is a working default configuration', () => {
  const config = load(sourceOf(undefined));
  assert.deepEqual(
    config.receivers.map(({ name }) => name),
    ['default'],
  );
  assert.deepEqual(config.route.groupBy, ['alertname']);
  assert.deepEqual([config.warnings, config.notices], [[], []]);
});

test('a refusal names the file, and why it cannot be read or which lines of it are wrong', (t) => {
  const file = temporaryFile(t, 'route: {}\nreceivers: [{}]\n');
  const folder = join(file, '..');
  const cases: readonly (readonly [string, string])[] = [
    [file, `${file}: line 1: root route must specify a default receiver\n${file}: line 2: missing name in receiver`],
    [`${file}.none`, `cannot read the configuration file ${file}.none: there is no such file`],
    [folder, `cannot read the configuration file ${folder}: it is a directory`],
  ];
  for (const [path, reason] of cases) assert.deepEqual(sourceOf(path).read(), { ok: false, reason });
});

test('a pipe is read when the server starts, and no more after that', { timeout: HANG_MS }, async (t) => {
  const file = join(temporaryFolder(t), 'alertmanager.yml');
  execFileSync('mkfifo', [file]);
  const source = sourceOf(file);
  const writer = spawn('sh', ['-c', 'printf "%s" "$0" > "$1"', FIRST, file]);
  assert.equal(load(source).route.receiver, 'a');
  await once(writer, 'close');
  const reason = `cannot read the configuration file ${file}: it is a pipe or a socket, not a file`;
  assert.deepEqual(source.read(), { ok: false, reason });
});

test('a file that is larger than any configuration is not read', (t) => {
  const file = temporaryFile(t, FIRST);
  truncateSync(file, 100_000_000);
  const reason = `cannot read the configuration file ${file}: it is larger than 16777216 bytes`;
  assert.deepEqual(sourceOf(file).read(), { ok: false, reason });
});

test('the source passes on the matcher mode, variables and the folder of the file', (t) => {
  const file = temporaryFile(
    t,
    `templates: [x]\nroute: {receiver: a, group_by: ["$\{NAME}"]}\nreceivers: [{name: a}]\n`,
  );
  const read = new ConfigSource(file, {
    matcherMode: 'fallback',
    expandEnv: true,
    environment: { NAME: 'a.b' },
  }).read();
  assert.ok(read.ok);
  assert.deepEqual([read.value.route.groupBy, read.value.templates], [['a.b'], [join(file, '../x')]]);
  const classic = new ConfigSource(file, { matcherMode: 'classic', expandEnv: true, environment: { NAME: 'a.b' } });
  assert.ok(!classic.read().ok);
});

test('a successful reload takes effect, a refused one changes only its report', (t) => {
  const clock = new FakeClock(1_000);
  const file = temporaryFile(t, FIRST);
  const source = sourceOf(file);
  const config = new ActiveConfig(source, load(source), () => clock.now());
  assert.deepEqual(config.reloadState, { refusal: undefined, succeededAt: 1_000 });

  clock.advance(1_000);
  writeFileSync(file, SECOND);
  const second = load(config);
  assert.equal(config.current.route.receiver, 'a');
  assert.deepEqual(config.reloadState, { refusal: undefined, succeededAt: 1_000 });
  config.activate(second);
  assert.equal(config.current.route.receiver, 'b');
  assert.match(config.printed, /receiver: b\n/);
  assert.deepEqual(config.reloadState, { refusal: undefined, succeededAt: 2_000 });

  clock.advance(1_000);
  writeFileSync(file, 'route: [');
  assert.ok(!config.read().ok);
  assert.equal(config.current.route.receiver, 'b');
  assert.match(config.reloadState.refusal ?? '', /: line 1/);
  assert.equal(config.reloadState.succeededAt, 2_000);

  clock.advance(1_000);
  writeFileSync(file, FIRST);
  assert.ok(config.read().ok);
  config.refuse('broken');
  assert.equal(config.current.route.receiver, 'b');
  assert.match(config.printed, /receiver: b\n/);
  assert.deepEqual(config.reloadState, { refusal: 'broken', succeededAt: 2_000 });

  config.activate(load(config));
  assert.equal(config.current.route.receiver, 'a');
  assert.deepEqual(config.reloadState, { refusal: undefined, succeededAt: 4_000 });
});
