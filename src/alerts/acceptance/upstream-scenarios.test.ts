// The scenarios of Alertmanager's own acceptance suite (test/with_api_v2/acceptance), as timelines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExpectedBatch, Timeline, type TimelineAlert } from '../testing/timeline.ts';

/** One receiver with a webhook for each host. */
function configOf(route: string, hosts: readonly string[] = ['hook'], rest = ''): string {
  const hooks = hosts.map((host) => `    - url: http://${host}/\n`).join('');
  return `route:\n  receiver: default\n  ${route}\nreceivers:\n  - name: default\n    webhook_configs:\n${hooks}${rest}`;
}

/** An alert of that name. */
const named = (name: string, from?: number, to?: number): TimelineAlert => ({
  labels: { alertname: name },
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

const noted = (alert: TimelineAlert, note: string): TimelineAlert => ({ ...alert, annotations: { note } });

/** A batch that comes at that moment. */
const at = (moment: number, ...alerts: readonly TimelineAlert[]): ExpectedBatch => ({
  between: [moment, moment],
  alerts,
});

const EVERY_SECOND = 'group_by: [alertname]\n  group_wait: 1s\n  group_interval: 1s\n  repeat_interval: 1ms';
const ALL_EVERY_SECOND = EVERY_SECOND.replace('[alertname]', '[]');

for (const lasts of [undefined, 3]) {
  const end = lasts === undefined ? 'without an end' : 'with an end of its own, as Prometheus posts it';
  test(`merge: posts of one alert ${end} are one incident as long as their times overlap`, async (t) => {
    const timeline = new Timeline(t, { config: configOf(EVERY_SECOND) });
    const firing = (from: number) => named('test', from, lasts === undefined ? undefined : from + lasts);
    timeline.at(1).post(firing(1.1));
    // Another Prometheus posts later, but has seen it begin earlier.
    timeline.at(1.2).post(firing(1));
    timeline.at(2.1).post(noted(firing(2), 'v1'));
    // Annotations are those of the last post, whatever its start.
    timeline.at(3.6).post(noted(firing(1.5), 'v2'));
    // Of several ends the latest counts.
    timeline.at(4.6).post(noted(named('test', 3, 4.5), 'v2'));
    timeline.at(4.8).post(noted(named('test', 2.9, 4.8), 'v3'));
    timeline.at(4.8).post(noted(named('test', 2.9, 4.1), 'v3'));
    // It fires again after its end: another incident.
    timeline.at(5.3).post(firing(5));
    await timeline.run(6.9);
    timeline.expect(
      'hook',
      at(2, named('test', 1)),
      at(3, noted(named('test', 1), 'v1')),
      at(4, noted(named('test', 1), 'v2')),
      at(5, noted(named('test', 1, 4.8), 'v3')),
      at(6.3, named('test', 5)),
    );
  });
}

test('repeat: firing alerts are sent again at each flush after the repeat interval, resolved ones once', async (t) => {
  const timeline = new Timeline(t, { config: configOf(EVERY_SECOND) });
  timeline.at(1).post(named('test', 1));
  timeline.at(3.5).post(named('test', 1, 3));
  await timeline.run(8);
  timeline.expect('hook', at(2, named('test', 1)), at(3, named('test', 1)), at(4, named('test', 1, 3)));
});

test('retry: a failing webhook is retried until it succeeds; another of the same receiver is not affected', async (t) => {
  const timeline = new Timeline(t, {
    config: configOf('group_by: [alertname]\n  group_wait: 1s\n  group_interval: 2s\n  repeat_interval: 3s', [
      'good',
      'failing',
    ]),
    answers: { failing: (moment) => (moment < 4.5 ? 500 : 200) },
  });
  timeline.at(1).post(named('test', 1));
  await timeline.run(8);
  timeline.expect('failing', { between: [6, 6.5], alerts: [named('test', 1)] });
  // The flush of 4 s has to wait for that of 2 s; by then the repeat interval has passed.
  timeline.expect('good', at(2, named('test', 1)), { between: [6, 6.5], alerts: [named('test', 1)] });
});

test('batching: alerts that come while a group waits are sent together, and again after the repeat interval', async (t) => {
  const timeline = new Timeline(t, {
    config: configOf('group_by: []\n  group_wait: 1s\n  group_interval: 1s\n  repeat_interval: 4900ms'),
  });
  timeline.at(1.1).post(named('test1', 1));
  timeline.at(1.7).post(named('test5', 1));
  timeline.at(3.3).post(named('test2', 1.5), named('test3', 1.5), named('test4', 1.6));
  await timeline.run(9.9);
  const all = [named('test1', 1), named('test2', 1.5), named('test3', 1.5), named('test4', 1.6), named('test5', 1)];
  timeline.expect('hook', at(2.1, named('test1', 1), named('test5', 1)), at(4.1, ...all), at(9.1, ...all));
});

test('resolved: alerts that are not posted again resolve after the resolve timeout', async (t) => {
  const timeline = new Timeline(t, {
    config: `global: {resolve_timeout: 10s}\n${configOf('group_by: [alertname]\n  group_wait: 1s\n  group_interval: 5s')}`,
  });
  const alerts = (from?: number, to?: number) =>
    ['v1', 'v2', 'v3'].map((lbl) => ({ ...named('test', from, to), labels: { alertname: 'test', lbl } }));
  timeline.at(1).post(...alerts());
  await timeline.run(30);
  timeline.expect('hook', at(2, ...alerts(1)), at(12, ...alerts(1, 11)));
});

test('resolved filter: an end that is not sent is recorded all the same', async (t) => {
  const config = `global: {resolve_timeout: 10s}
${configOf('group_by: [alertname]\n  group_wait: 1s\n  group_interval: 5s', ['all'])}    - url: http://firing/
      send_resolved: false
`;
  const timeline = new Timeline(t, { config });
  const alert = (lbl: string, from?: number, to?: number) => ({
    ...named('test', from, to),
    labels: { alertname: 'test', lbl },
  });
  timeline.at(1).post(alert('v1'), alert('v2'));
  timeline.at(3).post(alert('v1', 1, 4), alert('v3'));
  timeline.at(8).post(alert('v3', 3));
  await timeline.run(14);
  timeline.expect(
    'all',
    at(2, alert('v1', 1), alert('v2', 1)),
    at(7, alert('v1', 1, 4), alert('v2', 1), alert('v3', 3)),
    at(12, alert('v2', 1, 11), alert('v3', 3)),
  );
  timeline.expect('firing', at(2, alert('v1', 1), alert('v2', 1)), at(7, alert('v2', 1), alert('v3', 3)));
});

const SLOW = 'group_by: []\n  group_wait: 1s\n  group_interval: 6s\n  repeat_interval: 10m';

test('cold start: nothing is sent before the start delay is over, and a reload at that moment sends nothing twice', async (t) => {
  const timeline = new Timeline(t, { config: configOf(SLOW), startDelay: 5 });
  timeline.at(1).post(named('test1', -100));
  timeline.at(2).post(named('test2', 2));
  timeline.at(5).reload();
  timeline.at(6).post(named('test3', -100));
  timeline.at(7).post(named('test4', 7));
  await timeline.run(16);
  const [first, second] = [named('test1', -100), named('test2', 2)];
  timeline.expect('hook', at(5, first, second), at(11, first, second, named('test3', -100), named('test4', 7)));
});

test('reload: notified alerts are not sent again, and groups begin their interval anew', async (t) => {
  const timeline = new Timeline(t, { config: configOf(SLOW) });
  timeline.at(1).post(named('test1', 1));
  timeline.at(3.5).reload();
  timeline.at(4).post(named('test2', 4));
  await timeline.run(14);
  timeline.expect('hook', at(2, named('test1', 1)), at(9.5, named('test1', 1), named('test2', 4)));
});

test('webhook time-out: an attempt over the timeout of the webhook is repeated', async (t) => {
  const config = configOf('group_by: [alertname]\n  group_wait: 1s\n  group_interval: 1m\n  repeat_interval: 1m');
  const timeline = new Timeline(t, {
    config: `${config}      timeout: 500ms\n`,
    answers: { hook: (moment) => (moment < 3 ? 'hang' : 200) },
  });
  timeline.at(1).post(named('test1', 1));
  await timeline.run(6);
  timeline.expect('hook', { between: [3, 4], alerts: [named('test1', 1)] });
  assert.match(timeline.app.log.join(), /level=WARN .*will retry later.*webhook timeout/);
});

test('silencing: a silenced alert is left out of notifications, and returns when its silence is over', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_EVERY_SECOND) });
  const [first, second] = [named('test1', 1), named('test2', 1)];
  timeline.at(1).post(first);
  timeline.at(1).post(second);
  timeline.at(2.3).silence('s', { from: 2.5, to: 4.5, matchers: [{ name: 'alertname', value: 'test1' }] });
  await timeline.run(5.5);
  timeline.expect('hook', at(2, first, second), at(3, second), at(4, second), at(5, first, second));
});

test('silence delete: alerts of a deleted silence are sent at the flush after its end', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_EVERY_SECOND) });
  const [first, second] = [named('test1', 1), named('test2', 1)];
  timeline.at(1).post(first, second);
  timeline.at(1.3).silence('s', { from: 1.5, to: 100, matchers: [{ name: 'alertname', value: '.+', isRegex: true }] });
  timeline.at(3.5).endSilence('s');
  await timeline.run(4.5);
  timeline.expect('hook', at(4, first, second));
});

const INHIBITION = `inhibit_rules:
  - source_match: {alertname: JobDown}
    target_match: {alertname: InstanceDown}
    equal: [job, zone]
`;
const ALL_ALWAYS = 'group_by: []\n  group_wait: 1s\n  group_interval: 1s\n  repeat_interval: 1s';

/** An alert of the same job in a zone. */
const inZone = (alertname: string, zone: string, from?: number, to?: number): TimelineAlert => ({
  ...named('', from, to),
  labels: { alertname, job: 'testjob', zone },
});

test('inhibition: a target is suppressed while its source fires, and is sent again when that has resolved', async (t) => {
  // Repeated at every flush: on this clock a notification is exactly as old as the interval.
  const route = ALL_ALWAYS.replace('repeat_interval: 1s', 'repeat_interval: 900ms');
  const timeline = new Timeline(t, { config: configOf(route, ['hook'], INHIBITION) });
  const [other, inA, inB] = [
    inZone('test1', 'aa', 1),
    inZone('InstanceDown', 'aa', 1),
    inZone('InstanceDown', 'ab', 1),
  ];
  timeline.at(1).post(other);
  timeline.at(1).post(inA);
  timeline.at(1).post(inB);
  timeline.at(2.2).post(inZone('JobDown', 'aa', 2.2));
  timeline.at(3.6).post(inZone('JobDown', 'aa', 2.2, 3.6));
  await timeline.run(4.5);
  timeline.expect(
    'hook',
    at(2, inA, inB, other),
    at(3, inB, inZone('JobDown', 'aa', 2.2), other),
    at(4, inA, inB, inZone('JobDown', 'aa', 2.2, 3.6), other),
  );
});

test('always inhibiting: when source and target resolve together, both ends are sent', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_ALWAYS, ['hook'], INHIBITION) });
  timeline.at(1).post(inZone('InstanceDown', 'aa', 1));
  timeline.at(1).post(inZone('JobDown', 'aa', 1));
  timeline.at(2.6).post(inZone('JobDown', 'aa', 1, 2.6));
  timeline.at(2.6).post(inZone('InstanceDown', 'aa', 1, 2.6));
  await timeline.run(6);
  timeline.expect(
    'hook',
    at(2, inZone('JobDown', 'aa', 1)),
    at(3, inZone('InstanceDown', 'aa', 1, 2.6), inZone('JobDown', 'aa', 1, 2.6)),
  );
});

test('an empty inhibition rule inhibits nothing, and stops nothing', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_ALWAYS, ['hook'], 'inhibit_rules:\n  -\n') });
  timeline.at(1).post(named('a', 1), named('b', 1));
  await timeline.run(2.5);
  timeline.expect('hook', at(2, named('a', 1), named('b', 1)));
});

const UTF8_LABELS = { '00': 'b', a: 'a', Σ: 'c', '🙂': 'dΘ' };

test('UTF-8 alerts: names of any characters are accepted, listed, filtered by and sent', async (t) => {
  const timeline = new Timeline(t, {
    config: configOf('group_by: []\n  group_wait: 1s\n  group_interval: 10m\n  repeat_interval: 1h'),
  });
  timeline.at(1).post({ labels: UTF8_LABELS, from: 1 });
  const filter = ['00=b', 'Σ=c', '"\\xf0\\x9f\\x99\\x82"=dΘ'].map((one) => `filter=${encodeURIComponent(one)}`);
  timeline.at(1.5).check(async (app) => {
    for (const query of ['', `?${filter.join('&')}`]) {
      const listed = (await app.get(`/api/v2/alerts${query}`)).json as { labels: object }[];
      assert.deepEqual(
        listed.map(({ labels }) => labels),
        [UTF8_LABELS],
      );
      const groups = (await app.get(`/api/v2/alerts/groups${query}`)).json as { alerts: { labels: object }[] }[];
      assert.deepEqual(
        groups.map(({ alerts }) => alerts.map(({ labels }) => labels)),
        [[UTF8_LABELS]],
      );
    }
  });
  await timeline.run(2.5);
  timeline.expect('hook', at(2, { labels: UTF8_LABELS, from: 1 }));
});

test('UTF-8 route: alerts find a route by a matcher on such a name, and are grouped by it', async (t) => {
  const config = `
route:
  receiver: default
  routes:
    - receiver: webhook
      matchers: [foo🙂=bar]
      group_by: [foo🙂]
      group_wait: 1s
receivers:
  - name: default
  - name: webhook
    webhook_configs:
      - url: http://hook/
`;
  const timeline = new Timeline(t, { config });
  timeline.at(1).post({ labels: { 'foo🙂': 'bar' }, from: 1 });
  await timeline.run(2.5);
  timeline.expect('hook', at(2, { labels: { 'foo🙂': 'bar' }, from: 1 }));
  assert.deepEqual(timeline.received('hook')[0]?.message.groupLabels, { 'foo🙂': 'bar' });
});

test('UTF-8 in classic mode: such alerts and silences are refused', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_ALWAYS), matcherMode: 'classic' });
  timeline.at(1).check(async (app) => {
    const alert = await app.post('/api/v2/alerts', [{ labels: UTF8_LABELS }]);
    assert.deepEqual([alert.status, /invalid label set/.test(alert.text)], [400, true]);
    const silence = await app.post('/api/v2/silences', {
      matchers: [{ name: 'fooΣ', value: 'bar🙂', isRegex: false }],
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '2026-01-02T00:00:00Z',
      createdBy: 'ann',
      comment: 'works',
    });
    assert.deepEqual([silence.status, /invalid silence: invalid label matcher/.test(silence.text)], [400, true]);
  });
  await timeline.run(3);
  timeline.expect('hook');
});

test('UTF-8 silences: a name of any characters is kept and found', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_ALWAYS) });
  timeline.at(1).silence('s', { from: 1, to: 100, matchers: [{ name: 'fooΣ', value: 'bar🙂' }] });
  timeline.at(2).post({ labels: { fooΣ: 'bar🙂' }, from: 2 });
  timeline.at(3).check(async (app) => {
    const found = (await app.get(`/api/v2/silences?filter=${encodeURIComponent('fooΣ=bar🙂')}`)).json as object[];
    assert.equal(found.length, 1);
  });
  await timeline.run(5);
  timeline.expect('hook');
});

test('web prefix: the API answers below the prefix', async (t) => {
  const timeline = new Timeline(t, { config: configOf(ALL_ALWAYS), routePrefix: '/foo' });
  timeline.at(1).check(async (app) => {
    assert.equal((await app.post('/foo/api/v2/alerts', [{ labels: { alertname: 'a' } }])).status, 200);
    assert.equal((await app.get('/foo/-/ready')).status, 200);
    assert.equal((await app.get('/api/v2/alerts')).status, 404);
  });
  await timeline.run(2.5);
  timeline.expect('hook', at(2, named('a', 1)));
});
