import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLongRound } from '../testing/long-round.ts';
import { type AttackedServer, rawClient, startEveryServer } from './testing/every-server.ts';

const SECRET = 'PLANTED-OUTSIDE';

/** The places of a name or a path in the answers of a server. */
const BASES: Readonly<Record<AttackedServer['name'], readonly string[]>> = {
  alerts: ['/', '/assets/', '/api/v2/silence/', '/api/v2/', '/-/', '/debug/', '/debug/pprof/'],
  relay: [
    '/',
    '/assets/',
    '/api/flags/',
    '/sdk/flags/',
    '/sdk/flags?filter=',
    '/sdk/latest-all?filter=',
    '/sdk/goals/',
    '/sdk/evalx/',
    '/debug/',
  ],
  dashboard: ['/', '/assets/', '/data/', '/data/sample/', '/sample/', '/analytics/', '/api/', '/api/events?user='],
  rooms: [
    '/',
    '/assets/',
    '/r/',
    '/api/file/',
    '/api/room/',
    '/api/message/',
    '/api/hook/',
    '/api/user/',
    '/api/invite/',
  ],
  hub: ['/', '/assets/', '/servers.json/'],
};

/** Spellings of a step up, and of the end of a name. */
const STEPS = [
  '../',
  './../',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '.%2e/',
  '..\\',
  '..%5c',
  '%2e%2e%5c',
  '%252e%252e%252f',
  '..%252f',
  '..%c0%af',
  '%c0%ae%c0%ae/',
  '..%u2215',
  '%uff0e%uff0e/',
  '..;/',
  '....//',
  '..//',
  '..%00/',
];

/** Files beside the served ones, the state of every server among them. */
const TARGETS = ['outside.txt', 'rooms/secret.key', 'project/.env', 'etc/passwd'];

function allSpellings(): readonly string[] {
  const relative = STEPS.flatMap((step) => TARGETS.flatMap((file) => [step + file, step.repeat(8) + file]));
  const absolute = ['/etc/passwd', '//etc/passwd', '%2fetc%2fpasswd', 'file:///etc/passwd', 'C:%5cetc%5cpasswd'];
  const hidden = [
    '.env',
    '%2eenv',
    '.git/config',
    './.env',
    '.env%00.txt',
    '.env;.txt',
    'link.txt',
    'linked/outside.txt',
  ];
  const devices = ['/proc/self/environ', '../../../../proc/self/environ', '/dev/zero', 'fifo.txt'];
  return [...relative, ...absolute, ...hidden, ...devices];
}

/** A third of them at each base of a server, in turn; in a long round all. */
const spellingsAt = (base: number): readonly string[] =>
  allSpellings().filter((_, index) => isLongRound || index % 3 === base % 3);

/** The entries below a folder, with the sizes of files. */
function contentOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(db|sqlite)/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).size}`)
    .sort();
}

test('no spelling of a path leads out of the served files', { only: isLongRound }, async (t) => {
  const { servers, folder, sdkKey } = await startEveryServer(t);
  const project = join(folder, 'project');
  writeFileSync(join(folder, 'outside.txt'), SECRET);
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside', 'outside.txt'), SECRET);
  writeFileSync(join(folder, 'rooms', 'secret.key'), SECRET);
  writeFileSync(join(project, '.env'), SECRET);
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.git', 'config'), SECRET);
  symlinkSync(join(folder, 'outside.txt'), join(project, 'link.txt'));
  symlinkSync(join(folder, 'outside'), join(project, 'linked'));
  const before = contentOf(folder);
  const wrong: string[] = [];
  for (const { name, url, log } of servers) {
    const exchange = rawClient(t, url);
    for (const [place, base] of BASES[name].entries()) {
      for (const spelling of spellingsAt(place)) {
        for (const method of ['GET', 'PUT'] as const) {
          // One of each is enough on paths that write nowhere.
          if (method === 'PUT' && !spelling.startsWith('..')) continue;
          const head = `${method} ${base}${spelling} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${name === 'relay' ? sdkKey : 'x'}\r\n`;
          const answer = await exchange(method, `${head}${method === 'PUT' ? 'Content-Length: 1\r\n\r\nx' : '\r\n'}`);
          const text = answer?.body.toString() ?? '';
          if (answer === undefined || answer.status >= 500 || text.includes(SECRET) || /root:.*:0:0:/.test(text))
            wrong.push(`${name}: ${method} ${base}${spelling}: ${answer?.status} ${text.slice(0, 100)}`);
        }
      }
    }
    assert.doesNotMatch(log(), /level=ERROR|PLANTED/, name);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(contentOf(folder), before);
});

test('a route prefix holds nothing but its own paths', async (t) => {
  const { urlOf } = await startEveryServer(t, { alerts: { routePrefix: '/am' } });
  const exchange = rawClient(t, urlOf('alerts').replace(/\/am$/, ''));
  const statusOf = async (path: string) =>
    (await exchange('GET', `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`))?.status;
  assert.equal(await statusOf('/am/api/v2/status'), 200);
  for (const path of [
    '/api/v2/status',
    '/am/../api/v2/status',
    '//api/v2/status',
    '/AM/api/v2/status',
    '/amx/api/v2/status',
    '/am%2fapi/v2/status',
    '/x/..%2fam/api/v2/status',
  ])
    assert.ok([200, 404].includes((await statusOf(path)) ?? 0), path);
  for (const path of ['/api/v2/status', '/AM/api/v2/status', '/amx/api/v2/status'])
    assert.equal(await statusOf(path), 404, path);
});
