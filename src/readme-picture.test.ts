import { test } from 'node:test';
import { launchBrowser, needsBrowser, openPage, picture, postJson } from './testing/browser.ts';
import { isLongRound } from './testing/long-round.ts';
import { startOpsdeck } from './testing/processes.ts';

// The picture of the README: a long round writes .build/screenshots/readme.png, which is kept as docs/opsdeck.png.

const ALERTS = [
  ['DiskFull', 'critical', 'db1', '/var is at 97 % and grows by 2 % an hour'],
  ['DiskFull', 'critical', 'db2', '/var is at 95 % and grows by 1 % an hour'],
  ['ReplicationLag', 'warning', 'db2', 'the replica is 94 s behind'],
  ['HighLatency', 'warning', 'web1', 'the 99th percentile is 2.4 s'],
  ['HighLatency', 'warning', 'web2', 'the 99th percentile is 2.1 s'],
  ['CertificateExpires', 'info', 'edge1', 'the certificate ends in 12 days'],
  ['BackupLate', 'warning', 'db1', 'the last backup is 31 hours old'],
] as const;

test('the picture of the README shows alerts of every severity, one of them silenced', {
  only: isLongRound,
  skip: !isLongRound,
}, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await startOpsdeck(t);
  const alerts = ALERTS.map(([alertname, severity, instance, summary], index) => ({
    labels: { alertname, severity, instance, team: instance.startsWith('db') ? 'data' : 'web' },
    annotations: { summary },
    startsAt: new Date(Date.now() - (index + 1) * 37 * 60_000).toISOString(),
  }));
  await postJson(server, 'alerts', alerts);
  await postJson(server, 'silences', {
    matchers: [{ name: 'alertname', value: 'BackupLate', isRegex: false, isEqual: true }],
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + 7_200_000).toISOString(),
    createdBy: 'ana',
    comment: 'OPS-311: the backup is running again',
  });
  const page = await openPage(t, await launchBrowser(t), server.url, { colorScheme: 'dark' });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByText('94 s behind').first().waitFor();
  await picture(page, 'readme');
});
