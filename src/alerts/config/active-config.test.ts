import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake-clock.ts';
import { createLabelSet } from '../domain/label-set.ts';
import { ActiveConfig } from './active-config.ts';
import type { AlertmanagerConfig } from './alertmanager-config.ts';
import { ConfigSource, routeTableOf } from './config-source.ts';

function temporaryFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'alertmanager.yml');
  writeFileSync(file, text);
  return file;
}

function load(source: ConfigSource): AlertmanagerConfig {
  const read = source.read();
  assert.ok(read.ok, read.ok ? '' : read.reason);
  return read.value;
}

const FIRST = 'route: {receiver: a}\nreceivers: [{name: a}]\n';
const SECOND = 'route: {receiver: b}\nreceivers: [{name: b}]\n';

test('without a file there is a configuration that just works', () => {
  const config = load(new ConfigSource(undefined, false));
  assert.deepEqual(config.receivers, ['default']);
  assert.deepEqual(config.route.groupBy, ['alertname']);
});

test('a refusal names the file, and why it cannot be read or which line of it is wrong', (t) => {
  const file = temporaryFile(t, 'route: {}\n');
  const folder = join(file, '..');
  const cases: readonly (readonly [string, string])[] = [
    [file, `${file}: line 1: root route must specify a default receiver`],
    [`${file}.none`, `cannot read the configuration file ${file}.none: there is no such file`],
    [folder, `cannot read the configuration file ${folder}: it is a directory`],
  ];
  for (const [path, reason] of cases) {
    assert.deepEqual(new ConfigSource(path, false).read(), { ok: false, reason });
  }
});

test('classic names are asked for through the source', (t) => {
  const file = temporaryFile(t, 'route: {receiver: a, group_by: [a.b]}\nreceivers: [{name: a}]\n');
  assert.ok(new ConfigSource(file, false).read().ok);
  assert.ok(!new ConfigSource(file, true).read().ok);
});

test('a good reload takes effect, a bad one changes nothing but the report of it', (t) => {
  const clock = new FakeClock(1_000);
  const file = temporaryFile(t, FIRST);
  const source = new ConfigSource(file, false);
  const config = new ActiveConfig(source, load(source), () => clock.now());
  assert.deepEqual(config.reloadState, { successful: true, succeededAt: 1_000 });

  clock.advance(1_000);
  writeFileSync(file, SECOND);
  assert.ok(config.reload().ok);
  assert.deepEqual(config.current.receivers, ['b']);
  assert.match(config.printed, /receiver: b\n/);
  assert.deepEqual(config.reloadState, { successful: true, succeededAt: 2_000 });

  clock.advance(1_000);
  writeFileSync(file, 'route: [');
  assert.ok(!config.reload().ok);
  assert.deepEqual(config.current.receivers, ['b']);
  assert.match(config.printed, /receiver: b\n/);
  assert.deepEqual(config.reloadState, { successful: false, succeededAt: 2_000 });

  clock.advance(1_000);
  writeFileSync(file, FIRST);
  assert.ok(config.reload().ok);
  assert.deepEqual(config.current.receivers, ['a']);
  assert.deepEqual(config.reloadState, { successful: true, succeededAt: 4_000 });
});

test('the route table of a configuration sends every alert to its root route', () => {
  const route = { receiver: 'a', groupWaitMs: 1, groupIntervalMs: 2, repeatIntervalMs: 3 };
  const tableOf = (groupBy: readonly string[] | undefined) =>
    routeTableOf({ resolveTimeoutMs: 0, receivers: ['a'], route: { ...route, groupBy } })(createLabelSet({ x: 'y' }));
  assert.deepEqual(tableOf(['job', 'x']), [{ key: '{}', ...route, groupBy: new Set(['job', 'x']) }]);
  assert.deepEqual(tableOf(undefined), [{ key: '{}', ...route, groupBy: new Set() }]);
  assert.deepEqual(tableOf(['...']), [{ key: '{}', ...route, groupBy: 'all' }]);
});
