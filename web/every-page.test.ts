// Every page of `opsdeck up` side by side: at every width, in both themes and languages, with data on it.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import {
  findBarriers,
  findColourBarriers,
  fitsAcross,
  launchBrowser,
  needsBrowser,
  openPage,
  picture,
  settles,
} from '../src/testing/browser.ts';
import { startHttpSink } from '../src/testing/http/sink.ts';
import { isLongRound } from '../src/testing/long-round.ts';
import { OPSDECK, startServer, temporaryFolder } from '../src/testing/processes.ts';

/** The addresses of the servers, each with a slash at its end. */
interface Servers {
  readonly hub: string;
  readonly alerts: string;
  readonly relay: string;
  readonly dashboard: string;
  readonly rooms: string;
}

const configOf = (sink: string) => `
route:
  receiver: team-web
  group_by: [alertname]
  group_wait: 0s
  routes:
    - {receiver: pager, matchers: [severity="critical"], continue: true}
    - {receiver: team-data, matchers: ['team="data"'], routes: [{receiver: mail, matchers: ['severity=~"info|warning"']}]}
receivers:
  - {name: team-web, webhook_configs: [{url: '${sink}/taken'}]}
  - {name: pager, webhook_configs: [{url: '${sink}/refused'}]}
  - {name: team-data, webhook_configs: [{url: '${sink}/taken'}]}
  - {name: mail, webhook_configs: [{url: '${sink}/taken'}]}
`;

const ALERTS = [
  ['DiskFull', 'critical', 'db1', '/var is at 97 % and grows by 2 % an hour'],
  ['DiskFull', 'critical', 'db2', '/var is at 95 % and grows by 1 % an hour'],
  ['ReplicationLag', 'warning', 'db2', 'the replica is 94 s behind'],
  ['HighLatency', 'warning', 'web1', 'the 99th percentile is 2.4 s'],
  ['HighLatency', 'error', 'web2', 'the 99th percentile is 2.1 s'],
  ['CertificateExpires', 'info', 'edge1', 'the certificate ends in 12 days'],
  ['BackupLate', 'warning', 'db1', 'the last backup is 31 hours old'],
  ['JobStuck', 'none', 'batch-7.internal.example.com', 'no progress for 40 minutes'],
] as const;

async function send<Answer>(method: string, url: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-opsdeck-user': 'ana' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.ok, true, `${method} ${url}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** Starts every server with its port on 0 in a folder with a configuration and usage. */
async function startUp(t: TestContext): Promise<Servers> {
  const folder = temporaryFolder(t);
  const sink = await startHttpSink(t, ({ path }) => ({ status: path === '/refused' ? 403 : 200 }));
  writeFileSync(join(folder, 'alertmanager.yml'), configOf(sink.url));
  const project = join(folder, 'project');
  mkdirSync(project);
  cpSync('data/sample', join(project, 'data'), { recursive: true });
  const ports = ['hub', 'alerts', 'relay', 'dashboard', 'rooms'].map((name) => `--${name}-address=127.0.0.1:0`);
  const up = await startServer(t, {
    command: OPSDECK[0],
    args: [...OPSDECK.slice(1), 'up', ...ports, '--project', project],
    cwd: folder,
    addressIn: (stderr) => /Hub is listening" address=(\S+)\n/.exec(stderr)?.[1],
  });
  const listed = (await (await fetch(`${up.url}/servers.json`)).json()) as { name: string; url: string }[];
  const found = Object.fromEntries(listed.map(({ name, url }) => [name, url]));
  return { hub: `${up.url}/`, ...found } as unknown as Servers;
}

/** Posts alerts, silences and messages; returns the id of an active silence. */
async function fill({ alerts, rooms }: Servers): Promise<string> {
  const now = Date.now();
  await send(
    'POST',
    `${alerts}api/v2/alerts`,
    ALERTS.map(([alertname, severity, instance, summary], index) => ({
      labels: { alertname, severity, instance, team: instance.startsWith('db') ? 'data' : 'web' },
      annotations: { summary, runbook_url: `https://runbooks.example.com/${alertname}` },
      startsAt: new Date(now - (index + 1) * 37 * 60_000).toISOString(),
      generatorURL: 'http://prometheus.example.com/graph',
    })),
  );
  const silence = (alertname: string, beginsInHours: number, comment: string) =>
    send<{ readonly silenceID: string }>('POST', `${alerts}api/v2/silences`, {
      matchers: [{ name: 'alertname', value: alertname, isRegex: false, isEqual: true }],
      startsAt: new Date(now + beginsInHours * 3_600_000).toISOString(),
      endsAt: new Date(now + (beginsInHours + 2) * 3_600_000).toISOString(),
      createdBy: 'ana',
      comment,
    });
  const { silenceID } = await silence('BackupLate', 0, 'OPS-311: the backup is running again');
  await silence('JobStuck', 0, 'known, see https://tickets.example.com/OPS-312');
  await silence('HighLatency', 5, 'the load test of tonight');
  await send('POST', `${rooms}api/room`, { name: 'Payments on-call', slug: 'ops', topic: 'Card payments and payouts' });
  for (const body of [
    'The payout job took **40 minutes**.',
    '```sql\nselect count(*) from payouts where late;\n```',
    'Looking at it. See https://runbooks.example.com/payouts',
    '/poll "Where to?" pizza sushi',
  ])
    await send('POST', `${rooms}api/room/ops/message`, { body });
  return silenceID;
}

/** A page: the name of its picture, its address, and a selector or text that it shows when it is complete. */
type Place = readonly [name: string, url: string, sign: string];

const placesOf = ({ hub, alerts, relay, dashboard, rooms }: Servers, silence: string): readonly Place[] => [
  ['hub', hub, 'main section >> nth=3'],
  ['alerts', `${alerts}#/alerts`, 'text=94 s behind'],
  ['alerts-silenced', `${alerts}#/alerts?silenced=true&filter={team="data"}`, 'text=31 hours old'],
  ['alerts-none', `${alerts}#/alerts?filter={alertname="x"}`, '.state-title'],
  ['silences', `${alerts}#/silences`, 'text=OPS-311'],
  ['silences-none', `${alerts}#/silences?state=expired`, '.state-title'],
  ['silence', `${alerts}#/silences/${silence}`, 'text=31 hours old'],
  ['new-silence', `${alerts}#/silences/new?filter={alertname="DiskFull"}`, '#comment'],
  ['history', `${alerts}#/history`, 'main tbody tr'],
  ['routing', `${alerts}#/routing`, 'main >> text=team-data'],
  ['status', `${alerts}#/status`, 'main pre'],
  ['settings', `${alerts}#/settings`, 'main select'],
  ['unknown', `${alerts}#/nowhere`, '.state-title'],
  ['wall', `${alerts}?wall`, '.wall li'],
  ['flags', `${relay}#/flags`, 'text=express-shipping'],
  ['flag', `${relay}#/flags/button-color`, 'h1 >> text=button-color'],
  ['flag-changes', `${relay}#/changes`, 'main h1'],
  ['flag-status', `${relay}#/status`, 'main h1'],
  ['flag-connect', `${relay}#/connect`, 'main pre'],
  ['usage-start', new URL('./', dashboard).href, 'a.card'],
  ['usage', `${dashboard}#range=all`, 'figure.chart canvas[aria-label*=". "]'],
  ['room', `${rooms}r/ops`, 'text=Where to?'],
  ['room-unknown', `${rooms}r/nowhere`, '.state-title'],
];

/** What a language is looked at in. */
interface Look {
  readonly lang: 'en' | 'de';
  readonly widths: readonly number[];
}
const LOOKS: readonly Look[] = [
  { lang: 'en', widths: [390, 820, 2560, 1440] },
  { lang: 'de', widths: [390, 1440] },
];
/** Those at which barriers are searched. */
const SEARCHED: readonly number[] = [390, 1440];

/** Waits until the visible charts fill their figures: they follow a resized window after a pause. */
function chartsFit(page: Page): Promise<void> {
  const gaps = `[...document.querySelectorAll('figure.chart canvas')]
    .filter((canvas) => canvas.getBoundingClientRect().top < innerHeight)
    .map((canvas) => canvas.parentElement.clientWidth - canvas.clientWidth)
    .filter((gap) => Math.abs(gap) > 1)`;
  return settles('charts to be as wide as their figures', async () => assert.deepEqual(await page.evaluate(gaps), []));
}

async function look(page: Page, [name, url, sign]: Place, { lang, widths }: Look): Promise<void> {
  const what = `${name}, ${lang}`;
  await page.goto(url);
  await page.locator(sign).first().waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), lang, what);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await fitsAcross(page, `${what}, ${width} pixels`);
    await chartsFit(page);
    assert.equal(await page.locator('h1:visible').count(), 1, `${what}, ${width} pixels: one h1`);
    await picture(page, `every/${name}-${lang}-${width}`);
    if (SEARCHED.includes(width)) assert.deepEqual(await findBarriers(page), [], `${what}, ${width} pixels`);
  }
  // Themes change colours alone, which all languages share.
  if (lang !== 'en') return;
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findColourBarriers(page), [], `${what}, dark`);
  await picture(page, `every/${name}-${lang}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Opens a browser in one language, as the user of the rooms. */
async function openAs(t: TestContext, browser: Browser, lang: string, { hub }: Servers): Promise<Page> {
  const page = await openPage(t, browser, 'about:blank', { locale: lang });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.context().addCookies([{ name: 'opsdeck_user', value: 'ana', url: hub }]);
  return page;
}

test('every page fits, has no barriers and speaks its language', {
  only: isLongRound,
  skip: !isLongRound,
  concurrency: 2,
}, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const servers = await startUp(t);
  const places = placesOf(servers, await fill(servers));
  await Promise.all(
    LOOKS.map((one) =>
      t.test(`in ${one.lang}`, async (t) => {
        const page = await openAs(t, browser, one.lang, servers);
        for (const place of places) await t.test(place[0], () => look(page, place, one));
      }),
    ),
  );
});
