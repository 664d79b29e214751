import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkerDocument } from './contract/markers.ts';
import { UsageData } from './domain/usage-data.ts';
import { readSample } from './sample.ts';

const DAY = 86_400_000;
const USERS = ['info', 'slope'];
const NOWS = ['2026-03-10T12:00:00Z', '2026-11-20T23:59:00Z', '2027-01-04T00:00:01Z', '2031-07-06T06:00:00Z'];

for (const text of NOWS) {
  const now = Date.parse(text);

  test(`the sample of ${text} is whole, reaches back two months and ends now`, () => {
    const data = new UsageData(USERS.map((label) => ({ label })));
    for (const user of USERS) {
      const name = `usage-events-${user}.csv`;
      const csv = data.openCsv({ name, size: 0, user }, now);
      csv.push(new TextEncoder().encode(readSample(name, now)?.text));
      const { status, events, skipped, oldestAt = now, newestAt = 0 } = csv.finish();
      assert.deepEqual([status, skipped], ['added', 0]);
      assert.ok(events > 450, `${events} events`);
      assert.ok(newestAt <= now && newestAt > now - 4 * DAY, new Date(newestAt).toISOString());
      assert.ok(oldestAt < now - 60 * DAY);
    }
  });

  test(`the markers of the sample of ${text} are valid and lie before it`, () => {
    const document = readMarkerDocument(JSON.parse(readSample('project-markers.json', now)?.text ?? ''), now);
    assert.ok(document.ok);
    const { markers } = document.value;
    assert.ok(markers.length >= 17, `${markers.length} markers`);
    for (const { end } of markers) assert.ok(Date.parse(end ?? '') <= now);
    assert.ok(markers.some(({ task }) => !/[:–—-]/.test(task)));
  });
}

test('working days stay working days: few requests on Sundays', () => {
  const csv = readSample('usage-events-info.csv', Date.parse('2026-11-20T12:00:00Z'))?.text ?? '';
  const days = [...csv.matchAll(/^"([^"]+)"/gm)].map(([, at]) => new Date(at ?? '').getUTCDay());
  const on = (day: number) => days.filter((one) => one === day).length;
  assert.ok(on(2) > 4 * on(0), `${on(2)} on Tuesdays, ${on(0)} on Sundays`);
});

test('there is no other file in the sample', () => {
  for (const name of ['', 'usage-events-all.csv', '__proto__', 'toString', '../x'])
    assert.equal(readSample(name, 0), undefined);
});
