import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { runAlerts } from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { needsReal, startAlertmanager } from '../../testing/processes.ts';

const CONFIG = 'route: {receiver: team, group_by: [alertname], group_wait: 1h}\nreceivers: [{name: team}]\n';

/** The commands against the real Alertmanager; each call returns its output. */
async function connect(t: TestContext) {
  const { url } = await startAlertmanager(t, { config: CONFIG });
  const run = async (args: readonly string[], input = '') => {
    // The server judges ends by the time of the machine.
    const terminal = new FakeTerminal(systemClock.now());
    terminal.env.OPSDECK_ALERTS_URL = url;
    terminal.input = input;
    const code = await runAlerts(args, terminal);
    return { code, stdout: terminal.stdout, stderr: terminal.stderr };
  };
  const succeed = async (args: readonly string[], input?: string) => {
    const { code, stdout, stderr } = await run(args, input);
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  return { url, run, succeed };
}

const lines = (text: string) => text.trimEnd().split('\n');

test('alerts added to a real Alertmanager are queried, silenced and shown in groups', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { succeed } = await connect(t);
  const added = await succeed(['add', 'DiskFull', 'severity=critical', '--annotation', 'summary=the disk is full']);
  assert.equal(added, 'added {alertname="DiskFull", severity="critical"}\n');
  await succeed(['add', '--file', '-'], '[{"labels": {"alertname": "Up", "instance": "h1"}}]');

  const heading = 'Alertname  Severity  Starts At                Summary           State';
  const both = lines(await succeed(['query']));
  assert.equal(both[0], heading);
  assert.match(
    both[1] ?? '',
    /^DiskFull {3}critical {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}the disk is full {2}active$/,
  );
  assert.match(both[2] ?? '', /^Up .* active$/);
  const chosen = await succeed(['query', 'DiskFull', 'severity=~"crit.*"', '--receiver', 'te.*', '--json']);
  assert.deepEqual(JSON.parse(chosen)[0].labels, { alertname: 'DiskFull', severity: 'critical' });
  assert.deepEqual(JSON.parse(await succeed(['query', '--receiver', 'other', '--json'])), []);

  await succeed(['silence', 'add', 'DiskFull', '-c', 'replacing the disk']);
  assert.equal(lines(await succeed(['query'])).length, 2, 'only Up is still active');
  assert.match(
    await succeed(['query', '-s', '-o', 'extended']),
    /\nState {10}suppressed\nLabels {9}alertname="DiskFull" severity="critical"\n/,
  );

  const groups = await succeed(['groups']);
  assert.match(
    groups,
    /^team\n {2}\{alertname="DiskFull"\}\n {4}suppressed {2}critical .* the disk is full\n {2}\{alertname="Up"\}\n {4}active .* instance="h1"\n$/,
  );
  assert.doesNotMatch(await succeed(['groups', '--active']), /DiskFull/);
});

test('silences of a real Alertmanager are added, queried, updated, expired and imported', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { succeed } = await connect(t);
  const id = (await succeed(['silence', 'add', 'DiskFull', 'team!~"a|b"', '-d', '2h', '-c', 'why'])).trim();
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.match(
    await succeed(['silence', 'query', 'DiskFull']),
    new RegExp(`\n${id}  alertname="DiskFull" team!~"a\\|b"  .* alex {8}why\n$`),
  );
  assert.equal(await succeed(['silence', 'query', '-q', '--within', '1h']), '');
  assert.equal(await succeed(['silence', 'query', '-q', '--within', '3h']), `${id}\n`);

  assert.equal(await succeed(['silence', 'update', id, '-d', '4h', '-c', 'longer', '-q']), `${id}\n`);
  const [updated] = JSON.parse(await succeed(['silence', 'query', '--id', id, '--json']));
  assert.equal(updated.comment, 'longer');
  assert.equal(Date.parse(updated.endsAt) - Date.parse(updated.startsAt), 4 * 3_600_000);

  const saved = await succeed(['silence', 'query', '--json']);
  assert.equal(await succeed(['silence', 'import'], saved), `${id}\n`, 'a known id stays');
  const copy = (await succeed(['silence', 'import', '--force'], saved)).trim();
  assert.notEqual(copy, id);
  const foreign = saved.replaceAll(id, '00000000-0000-4000-8000-000000000000');
  assert.match(await succeed(['silence', 'import', '-'], foreign), /^[0-9a-f-]{36}\n$/);

  const all = await succeed(['silence', 'query', '-q']);
  assert.equal(lines(all).length, 3);
  assert.equal(await succeed(['silence', 'expire', '-'], all), all);
  assert.equal(await succeed(['silence', 'query', '-q']), '');
  assert.equal(lines(await succeed(['silence', 'query', '-q', '--expired', '--within', '1h'])).length, 3);

  const [again] = lines(await succeed(['silence', 'update', id, '-d', '1h', '-q']));
  assert.notEqual(again, id, 'an expired silence comes back under a new id');
  assert.equal(await succeed(['silence', 'query', '-q']), `${again}\n`);
});

test('a forced silence of everything is accepted by a real Alertmanager', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { succeed } = await connect(t);
  await succeed(['add', 'DiskFull']);
  for (const matchers of [[], ['instance=~".*"'], ['alertname!=""']]) {
    const id = (await succeed(['silence', 'add', ...matchers, '-c', 'x', '--force'])).trim();
    assert.equal(JSON.parse(await succeed(['query', '-s', '--json'])).length, 1);
    await succeed(['silence', 'expire', id]);
  }
});

test('a refusal of a real Alertmanager is printed in its words', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { run, url } = await connect(t);
  const past = ['silence', 'add', 'a=b', '-c', 'x', '--start', '2020-01-01T00:00:00Z'];
  const unknown = '00000000-0000-4000-8000-000000000000';
  const refusals: [args: string[], message: string][] = [
    [past, `${url} answered 400: Failed to create silence: end time can't be in the past`],
    [['query', 'a', 'b'], `${url} answered 400: bad matcher format: b`],
    [['silence', 'expire', unknown], `silence ${unknown}: ${url} answered 500: silence not found`],
    [['silence', 'update', unknown, '-c', 'x'], `silence ${unknown}: ${url} answered 404: not found`],
    [['silence', 'expire', 'x'], `silence x: ${url} answered 422: silenceID in path must be of type uuid: "x"`],
  ];
  for (const [args, message] of refusals) {
    assert.deepEqual(await run(args), { code: 1, stdout: '', stderr: `opsdeck: ${message}\n` });
  }
});

test('the status of a real Alertmanager is shown', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { succeed, url } = await connect(t);
  const status = await succeed(['status', '-o', 'extended']);
  assert.ok(status.startsWith(`Server    ${url}\nVersion   0.`));
  assert.match(status, /\nCluster {3}disabled\n\nConfiguration\nglobal:\n/);
});
