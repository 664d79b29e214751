import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { run } from '../cli.ts';
import { systemClock } from '../kernel/clock.ts';
import { readArchiveFiles } from '../relay/archive/files.ts';
import { archiveEntries, packTar, type TarEntry } from '../relay/testing/launchdarkly/archive.ts';
import { openPeople } from '../rooms/testing/people.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { startEveryServer } from './testing/every-server.ts';

const TIMEOUT = { timeout: 600_000 };

// Alertmanager's file of silences, in protobuf.

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

const nested = (field: number, bytes: readonly number[]) => [
  ...varint(field * 8 + 2),
  ...varint(bytes.length),
  ...bytes,
];
const text = (field: number, value: string) => nested(field, [...Buffer.from(value)]);
const instant = (field: number, seconds: number | bigint) => nested(field, [...varint(8), ...varint(seconds)]);
const matcher = (name: string, pattern: string) => nested(2, [...text(2, name), ...text(3, pattern)]);

interface SilenceParts {
  readonly id: string;
  readonly name?: string;
  readonly startsAt?: number | bigint;
  readonly endsAt?: number | bigint;
}

const LATER_S = 4_000_000_000;
const silence = ({ id, name = 'a', startsAt = 1_700_000_000, endsAt = LATER_S }: SilenceParts) => {
  const fields = [...text(1, id), ...matcher(name, 'b'), ...instant(3, startsAt), ...instant(4, endsAt)];
  const mesh = nested(1, [...fields, ...instant(5, 1_700_000_000), ...text(8, 'alex'), ...text(9, 'x')]);
  return [...varint(mesh.length), ...mesh];
};
const GOOD = '00000000-0000-4000-8000-000000000001';

test(
  'a file of silences that means ill is refused, or harms nothing: the server starts and answers',
  TIMEOUT,
  async (t) => {
    const files: readonly (readonly [string, readonly number[]])[] = [
      ['a length below zero, by which the same is read for ever', varint(-10n)],
      ['a length below zero, which leads back to where it stands', [5, 0x0a, ...varint(-3n), 0, 0]],
      ['a length below zero in a silence', [...varint(14), 0x0a, 12, 0x0a, ...varint(-12n), 0]],
      ['a length beyond all', [0x0a, ...varint(2n ** 62n)]],
      ['times that no calendar has', silence({ id: GOOD, startsAt: -(2n ** 62n), endsAt: 2n ** 62n })],
      ['the same id twice', [...silence({ id: GOOD }), ...silence({ id: GOOD, name: 'c' })]],
      ['invalid ids', ['', '../../x', '__proto__', '\x1b[2J', 'x'.repeat(100_000)].flatMap((id) => silence({ id }))],
      [
        'labels of every object',
        ['__proto__', 'constructor', 'toString'].flatMap((name, index) =>
          silence({ id: GOOD.replace(/1$/, String(index)), name }),
        ),
      ],
      ['something else', [...Buffer.from('PK\x03\x04 this is no protobuf at all')]],
      ['zeros', new Array(1000).fill(0)],
    ];
    for (const [what, bytes] of files) {
      const importPath = temporaryFolder(t);
      writeFileSync(join(importPath, 'silences'), Buffer.from(bytes));
      const { urlOf } = await startEveryServer(t, { alerts: { importPath } });
      const answer = await fetch(`${urlOf('alerts')}/api/v2/silences`);
      const body = await answer.text();
      assert.equal(answer.status, 200, `${what}: ${body}`);
      for (const { id, endsAt } of JSON.parse(body) as { id: string; endsAt: string }[]) {
        assert.ok(Number.isFinite(Date.parse(endsAt)), `${what}: ${endsAt}`);
        const one = await fetch(`${urlOf('alerts')}/api/v2/silence/${encodeURIComponent(id)}`);
        assert.ok(one.status < 500, what);
      }
    }
  },
);

async function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = Object.assign(new FakeTerminal(), { clock: systemClock as unknown as FakeTerminal['clock'] });
  terminal.env = { HOME: '/nowhere', ...env };
  return { code: await run(args, terminal), text: terminal.stdout + terminal.stderr };
}

function relink(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

function makePipe(path: string): void {
  rmSync(path);
  execFileSync('mkfifo', [path]);
}

/** A whole backup of a server with a message and a file. */
async function backUp(t: TestContext): Promise<{ readonly folder: string; readonly file: string }> {
  const { rooms, urlOf } = await startEveryServer(t);
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  const { json } = await rooms.send('POST', '/api/file', { body: 'harmless' });
  await rooms.send('POST', '/api/room/ops/message', { body: { body: 'x', attachments: [json.id] } });
  const folder = join(temporaryFolder(t), 'backup');
  const { code, text } = await command(['rooms', 'backup', folder], { OPSDECK_ROOMS_URL: urlOf('rooms') });
  assert.equal(code, 0, text);
  return { folder, file: join(folder, 'files', json.sha256.slice(0, 2), json.sha256) };
}

test(
  'a backup that means ill brings in no file of this machine, and does not hold the restore up',
  TIMEOUT,
  async (t) => {
    const outside = join(temporaryFolder(t), 'secret.txt');
    writeFileSync(outside, 'PLANTED');
    const changes: readonly (readonly [
      string,
      (backup: { readonly folder: string; readonly file: string }) => void,
    ])[] = [
      ['a link instead of a file', ({ file }) => relink(file, outside)],
      [
        'a link instead of a shelf',
        ({ file }) => {
          const shelf = join(file, '..');
          rmSync(shelf, { recursive: true });
          mkdirSync(join(outside, '..', 'shelf'), { recursive: true });
          writeFileSync(join(outside, '..', 'shelf', file.split('/').at(-1) ?? ''), 'PLANTED');
          symlinkSync(join(outside, '..', 'shelf'), shelf);
        },
      ],
      ['a file with another content', ({ file }) => writeFileSync(file, 'PLANTED')],
      ['a pipe instead of a file', ({ file }) => makePipe(file)],
      ['a device instead of a file', ({ file }) => relink(file, '/dev/zero')],
      [
        'a pipe instead of the manifest',
        ({ folder }) => {
          makePipe(join(folder, 'backup.json'));
        },
      ],
      [
        'a pipe instead of the database',
        ({ folder }) => {
          makePipe(join(folder, 'rooms.sqlite'));
        },
      ],
    ];
    const whole = await backUp(t);
    for (const [what, change] of changes) {
      const folder = join(temporaryFolder(t), 'copy');
      cpSync(whole.folder, folder, { recursive: true });
      change({ folder, file: whole.file.replace(whole.folder, folder) });
      const target = join(temporaryFolder(t), 'data');
      const { code } = await command(['rooms', 'restore', folder, '--data-dir', target]);
      assert.notEqual(code, 0, what);
      assert.equal(existsSync(join(target, 'rooms.sqlite')), false, `${what}: no rooms without their files`);
      const files = existsSync(join(target, 'files')) ? readdirSync(join(target, 'files'), { recursive: true }) : [];
      for (const name of files) {
        const path = join(target, 'files', String(name));
        if (/[0-9a-f]{64}$/.test(path)) assert.doesNotMatch(readFileSync(path, 'utf8'), /PLANTED/, what);
      }
    }
  },
);

test('a hostile archive of flags is refused, or none of it is stored', TIMEOUT, async (t) => {
  const outside = temporaryFolder(t);
  const good = archiveEntries([{ id: 'env' }]);
  const entry = (name: string, type: string, content = ''): TarEntry => ({ name, content, type });
  const read = async (entries: readonly TarEntry[], limits = { maxFileBytes: 2 ** 16, maxTotalBytes: 2 ** 20 }) => {
    const path = join(temporaryFolder(t), 'archive.tar.gz');
    writeFileSync(path, gzipSync(packTar(entries)));
    return readArchiveFiles(path, limits);
  };
  for (const name of ['../x.json', '/etc/x.json', 'a/../../x.json', '..\\x.json', './../x.json', `${outside}/x.json`])
    assert.equal((await read([...good, entry(name, '0', '{}')])).ok, false, name);
  // Links, devices, pipes and folders are not files, under any name.
  for (const type of ['1', '2', '3', '4', '5', '6', 'S', 'V', 'Z'])
    assert.equal((await read([...good, entry('evil.json', type), entry('evil-data.json', type)])).ok, true, type);
  for (const [what, entries] of [
    ['a bomb', [entry('x.bin', '0', '\0'.repeat(2 ** 21))]],
    ['a file beyond the limit', [entry('x.json', '0', ' '.repeat(2 ** 17))]],
    ['entries without end', Array.from({ length: 2100 }, (_, index) => entry(`x${index}`, '0'))],
    ['a size beyond all', [{ name: 'x.json', content: '', size: 8 ** 11 - 1 }]],
    ['a name without end', [{ name: 'x', content: 'x', type: 'L', size: 8 ** 11 - 1 }]],
    ['a pax header of nonsense', [entry('x', 'x', '99999999 path=x\n')]],
    ['a pax size below zero', [entry('x', 'x', '12 size=-5\n'), entry('x.json', '0', '{}')]],
  ] as const)
    assert.equal((await read([...good, ...entries])).ok, false, what);
  const twice = await read([...good, ...good]);
  assert.ok(twice.ok);
  assert.equal(twice.value.length, 1);
  const proto = await read(archiveEntries([{ id: '__proto__' }, { id: 'constructor' }]));
  assert.ok(proto.ok);
  assert.deepEqual(
    proto.value.map(({ id }) => id),
    ['__proto__', 'constructor'],
  );
  const changed = good.map((one) => (one.name === 'env-data.json' ? { ...one, content: '{"flags":{}}' } : one));
  assert.equal((await read(changed)).ok, false, 'a checksum of something else');
  assert.deepEqual(readdirSync(outside), []);
});

// Exports of rooms.

const TIME = '2026-01-01T00:00:00.000Z';
const ROOM = '01890000-0000-7000-8000-0000000000aa';
const HEADER = { kind: 'header', format: 'opsdeck-rooms', formatVersion: 1 };
const room = (fields: object = {}) => ({
  kind: 'room',
  room: {
    id: ROOM,
    name: 'In',
    slug: 'in',
    pinned: [],
    createdBy: 'ana',
    createdAt: TIME,
    visibility: 'private',
    ...fields,
  },
});
const member = (id: string, fields: object = {}, user: object = {}) => ({
  kind: 'member',
  roomId: ROOM,
  member: { role: 'member', joinedAt: TIME, ...fields },
  user: { id, name: id, kind: 'human', avatarColor: '#336699', ...user },
});
const message = (id: string, seq: number, fields: object = {}) => ({
  kind: 'message',
  message: {
    id,
    roomId: ROOM,
    seq,
    author: { id: 'ana', name: 'ana', kind: 'human' },
    type: 'text',
    body: 'x',
    format: 'plain',
    replyTo: null,
    threadId: null,
    alsoInRoom: false,
    thread: null,
    mentions: { users: [], room: false, copilot: false },
    attachments: [],
    card: null,
    silent: false,
    reactions: [],
    status: 'complete',
    run: null,
    pinned: false,
    deleted: false,
    deletedAt: null,
    deletedBy: null,
    deleteReason: null,
    edited: null,
    version: 1,
    createdAt: TIME,
    updatedAt: TIME,
    ...fields,
  },
});

/** With a correct checksum; texts are lines as they are. */
function signed(...lines: readonly (object | string)[]): string {
  const body = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const messages = lines.filter((line) => typeof line === 'object' && 'message' in line).length;
  return `${body}${JSON.stringify({ kind: 'end', pos: 1, messages, sha256: createHash('sha256').update(body).digest('hex') })}\n`;
}

async function openImport(t: TestContext) {
  const people = await openPeople(t, ['ana', 'mallory', 'bot:ci'], { options: { durability: 'off' } });
  const bringIn = (body: string, as = 'admin') =>
    people.send('POST', '/api/import', { as, body, headers: { 'content-type': 'application/x-ndjson' } });
  return { ...people, bringIn };
}

test(
  'an export that is not whole, not right or not allowed is refused, and nothing of it is there',
  TIMEOUT,
  async (t) => {
    const { bringIn, core, send } = await openImport(t);
    const good = signed(HEADER, room(), member('ana'), message('message-1', 1));
    const wrong: readonly (readonly [string, string])[] = [
      ['no checksum', good.split('\n').slice(0, -2).join('\n')],
      ['another checksum', good.replace(/"sha256":"../, '"sha256":"00')],
      ['a changed word', good.replace('"body":"x"', '"body":"y"')],
      ['cut in a line', good.slice(0, -40)],
      ['something after its end', `${good}{}\n`],
      ['two headers', signed(HEADER, HEADER, room())],
      ['a room twice', signed(HEADER, room(), room())],
      ['a message before its room', signed(HEADER, message('message-1', 1), room())],
      [
        'a message of another room',
        signed(HEADER, room(), message('message-1', 1, { roomId: ROOM.replace(/aa$/, 'bb') })),
      ],
      ['a member of another room', signed(HEADER, room(), { ...member('ana'), roomId: ROOM.replace(/aa$/, 'bb') })],
      ['a member after the messages', signed(HEADER, room(), message('message-1', 1), member('ana'))],
      ['no number', signed(HEADER, room(), JSON.stringify(message('message-1', 1)).replace('"seq":1', '"seq":NaN'))],
      [
        'a number beyond all',
        signed(HEADER, room(), JSON.stringify(message('message-1', 1)).replace('"seq":1', '"seq":1e999')),
      ],
      ['a number below zero', signed(HEADER, room(), message('message-1', -1))],
      ['half a number', signed(HEADER, room(), message('message-1', 1.5))],
      ['a version beyond all', signed(HEADER, room(), message('message-1', 1, { version: 2 ** 60 }))],
      ['a time of nowhere', signed(HEADER, room(), message('message-1', 1, { createdAt: '+275760-09-13T00:00:01Z' }))],
      ['an id that is a path', signed(HEADER, room(), message('../../x', 1))],
      ['a room id that is a path', signed(HEADER, room({ id: '../../x' }))],
      ['a slug that is a path', signed(HEADER, room({ slug: '../x' }))],
      ['a user id that is a path', signed(HEADER, room(), member('../x'))],
      ['a user id of every object', signed(HEADER, room(), member('__proto__'))],
      ['a role that there is not', signed(HEADER, room(), member('ana', { role: 'server-admin' }))],
      ['a kind that there is not', signed(HEADER, room(), member('ana', {}, { kind: 'admin' }))],
      ['NUL in the words', signed(HEADER, room(), message('message-1', 1, { body: 'a\0b' }))],
      [
        'a card that is too deep',
        signed(
          HEADER,
          room(),
          JSON.stringify(message('message-1', 1)).replace(
            '"card":null',
            `"card":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
          ),
        ),
      ],
      [
        'a card that is too large',
        signed(HEADER, room(), message('message-1', 1, { card: { a: 'x'.repeat(40_000) } })),
      ],
      ['a line without end', `${JSON.stringify(HEADER)}\n{"kind":"${'x'.repeat(3 * 2 ** 20)}`],
    ];
    const { pos } = core.writer;
    const users = core.state.all('user').size;
    for (const [what, text] of wrong) {
      const answer = await bringIn(text);
      assert.ok(answer.status === 400 || answer.status === 413, `${what}: ${answer.status} ${answer.text}`);
      assert.ok(answer.text.length < 500, what);
      assert.doesNotMatch(answer.text, /not an export of rooms/, what);
    }
    for (const as of ['ana', 'mallory', 'ci']) assert.equal((await bringIn(good, as)).status, 403, as);
    assert.deepEqual([core.writer.pos, core.state.all('user').size, core.state.all('room').size], [pos, users, 0]);
    assert.equal((await send('GET', '/api/room/in', { as: 'ana' })).status, 404);
  },
);

test(
  'an export grants no more than membership in its own rooms, and takes nothing that the server holds',
  TIMEOUT,
  async (t) => {
    const { bringIn, send, log } = await openImport(t);
    const own = await send('POST', '/api/room', {
      as: 'ana',
      body: { name: 'Own', slug: 'own', visibility: 'private' },
    });
    const kept = await send('POST', '/api/room/own/message', {
      as: 'ana',
      body: { id: 'message-of-ana', body: 'mine' },
    });
    assert.equal(kept.status, 201);
    const taken = await bringIn(
      signed(
        HEADER,
        room({ slug: 'own' }),
        member('mallory', { role: 'owner' }, { role: 'admin', isAdmin: true, disabled: false, name: 'Mallory' }),
        member('ana', {}, { role: 'admin', name: 'Another', kind: 'bot' }),
        member('newcomer', {}, { role: 'admin', tokens: ['odr_x'], hash: 'x' }),
        message('message-of-ana', 1, { body: 'taken over' }),
        message('message-2', 2, {
          threadId: 'message-of-ana',
          replyTo: 'message-of-ana',
          attachments: [
            { id: 'x', name: 'x', size: 1, contentType: 'x', sha256: 'x', uploadedBy: 'x', createdAt: TIME },
          ],
        }),
        message('message-3', 3, {
          type: 'alert',
          card: { kind: 'alert', alerts: 'none', acknowledged: 5, __proto__: null },
          author: { id: 'hook:x', name: 'x', kind: 'bridge' },
        }),
        message('message-4', 4, {
          type: 'command',
          card: { kind: 'command', silenceId: ['x'] },
          reactions: [{ emoji: '__proto__', count: 1e9, userIds: ['__proto__', 'ana', 'ana'] }],
        }),
        JSON.stringify(message('message-5', 5, { card: {} })).replace(
          '"card":{}',
          '"card":{"__proto__":{"polluted":true}}',
        ),
        message('message-6', 6, { status: 'streaming', author: { id: 'system', name: 'system', kind: 'system' } }),
      ).replace('"messages":5', '"messages":6'),
    );
    assert.equal(taken.status, 200, taken.text);
    assert.equal((await send('GET', '/api/message/message-of-ana', { as: 'ana' })).json.body, 'mine');
    assert.equal((await send('GET', '/api/message/message-of-ana', { as: 'mallory' })).status, 404);
    assert.equal((await send('GET', '/api/room/own', { as: 'mallory' })).status, 404, 'the slug stays where it was');
    assert.equal((await send('GET', `/api/room/${own.json.id}`, { as: 'mallory' })).status, 404);
    for (const id of ['mallory', 'newcomer', 'ana']) {
      const { json } = await send('GET', `/api/user/${id}`);
      assert.deepEqual([json.role, json.kind], ['user', 'human'], id);
    }
    assert.deepEqual((await send('GET', '/api/token?user=newcomer')).json.tokens, []);
    const reply = (await send('GET', '/api/message/message-2', { as: 'ana' })).json;
    assert.deepEqual([reply.threadId, reply.replyTo, reply.attachments], [null, null, []]);
    // Cards of any shape: a button on one is answered, and never with a 500.
    for (const id of ['message-3', 'message-4', 'message-5'])
      for (const [method, path, body] of [
        ['POST', `/api/message/${id}/action/ack`],
        ['POST', `/api/message/${id}/action/silence-1h`],
        ['GET', `/api/message/${id}`],
        ['POST', `/api/room/${ROOM}/message`, { body: '/ack', threadId: id }],
        ['POST', `/api/room/${ROOM}/message`, { body: '/silence? 1h', replyTo: id }],
      ] as const) {
        const answer = await send(method, path, { as: 'mallory', ...(body === undefined ? {} : { body }) });
        assert.ok(answer.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
      }
    for (const path of [
      `/api/room/${ROOM}/message`,
      `/api/room/${ROOM}/export`,
      `/api/room/${ROOM}/export?format=html`,
      '/api/search?q=x',
    ])
      assert.equal((await send('GET', path, { as: 'mallory' })).status, 200, path);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.doesNotMatch(log(), /level=ERROR/);
  },
);
