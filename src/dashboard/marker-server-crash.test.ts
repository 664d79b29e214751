// The markers of a real server over HTTP: killed at any moment, and with several browsers that edit at once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LocalMarkers, type MarkerServer } from '../../web/dashboard/marker/local.ts';
import { isLongRound } from '../testing/long-round.ts';
import {
  type Cleanup,
  executablePath,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../testing/processes.ts';
import { Random } from '../testing/random.ts';

/** Acknowledged ones. */
const WRITES = isLongRound ? 1000 : 100;
const MAX_WRITES_TO_KILL = 50;
/** Large enough for a write to take time. */
const PADDING = 'x'.repeat(100_000);

function startDashboard(t: Cleanup, project: string): Promise<RunningServer> {
  return startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'dashboard', 'serve', '--port', '0', '--project', project],
    cwd: project,
    addressIn: (stderr) => /^.*Dashboard is listening.*\baddress=(\S+).*\n/m.exec(stderr)?.[1],
  });
}

/** Resolves with the status; undefined when the server is gone before it has answered. */
async function put(server: RunningServer, id: number): Promise<number | undefined> {
  const markers = [{ id: String(id), user: 'info', start: '2026-05-04T09:00:00Z', note: PADDING }];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ version: 1, markers });
  try {
    const response = await fetch(`${server.url}/api/markers`, { method: 'PUT', headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

interface Written {
  readonly markers: readonly { readonly id: string; readonly note: string }[];
}

function idIn({ markers }: Written): number {
  assert.equal(markers.length, 1);
  assert.equal(markers[0]?.note.length, PADDING.length);
  return Number(markers[0]?.id);
}

const readFileOf = (project: string, ending = '') =>
  JSON.parse(readFileSync(join(project, 'data', `project-markers.json${ending}`), 'utf8')) as Written;

test('must show 5: between acknowledged writes a server is killed again and again; the file is always whole, and the last write is in it', {
  only: isLongRound,
  timeout: 600_000,
}, async (t) => {
  const random = new Random(20_261_101);
  const project = temporaryFolder(t);
  let acknowledged = 0;
  let kills = 0;
  for (let id = 1; acknowledged < WRITES; ) {
    const server = await startDashboard(t, project);
    if (kills > 0) {
      const served = (await (await fetch(`${server.url}/api/markers`)).json()) as Written;
      assert.equal(idIn(served), id - 1, 'the next server serves what the killed one left');
    }
    const killAfter = acknowledged + random.int(1, MAX_WRITES_TO_KILL);
    let last = id - 1;
    let killed: Promise<unknown> | undefined;
    for (; acknowledged < WRITES; id++) {
      const status = await put(server, id);
      if (status === undefined) break;
      assert.equal(status, 200);
      last = id;
      acknowledged++;
      if (acknowledged !== killAfter) continue;
      // At some moment of the writes that follow.
      const delay = random.int(0, 20);
      killed = new Promise((done) => setTimeout(() => done(server.stop('SIGKILL')), delay));
    }
    if (killed) {
      assert.deepEqual(await killed, { code: null, signal: 'SIGKILL' });
      kills++;
    }
    const found = idIn(readFileOf(project));
    // One more may be on disk than was acknowledged.
    assert.ok(found === last || (killed && found === last + 1), `${found} on disk, ${last} acknowledged`);
    assert.ok(idIn(readFileOf(project, '.bak')) >= found - 1);
    id = found + 1;
  }
  assert.equal(acknowledged, WRITES);
  assert.ok(kills >= WRITES / MAX_WRITES_TO_KILL - 1, `${kills} kills`);
});

/** The page's requests to the server, as another origin sends them. */
function httpMarkers(at: { readonly url: string }): MarkerServer {
  const address = () => `${at.url}/api/markers`;
  return {
    fetch: async () => {
      const response = await fetch(address());
      return { store: await response.json(), etag: response.headers.get('etag') };
    },
    put: async (store, etag) => {
      const headers = { 'content-type': 'application/json', ...(etag === null ? {} : { 'if-match': etag }) };
      const response = await fetch(address(), { method: 'PUT', headers, body: JSON.stringify(store) });
      assert.ok(response.ok || response.status === 412, `answered with ${response.status}`);
      const status = response.ok ? 'stored' : 'conflict';
      return { status, store: await response.json(), etag: response.headers.get('etag') };
    },
  };
}

/** Browsers with equal clocks and separate storages. */
class Browsers {
  readonly failures: string[] = [];
  readonly #at: { url: string };
  readonly #closed = new Set<LocalMarkers>();
  #now = Date.parse('2026-05-04T09:00:00Z');
  #ids = 0;

  constructor(url: string) {
    this.#at = { url };
  }

  /** All of them find the server here from now on. */
  moveTo(url: string): void {
    this.#at.url = url;
  }

  /** A closed browser sends and stores nothing more; requests sent before may still arrive. */
  close(local: LocalMarkers): void {
    this.#closed.add(local);
  }

  open(storage = new Map<string, string>()): LocalMarkers {
    const now = () => {
      this.#now += 1000;
      return this.#now;
    };
    let opened: LocalMarkers | undefined;
    const { fetch, put } = httpMarkers(this.#at);
    const whileOpen = <T>(act: () => T): T | Promise<never> =>
      opened && this.#closed.has(opened) ? new Promise<never>(() => {}) : act();
    const setItem = (key: string, value: string) => void whileOpen(() => storage.set(key, value));
    opened = new LocalMarkers({
      storage: { getItem: (key) => storage.get(key) ?? null, setItem },
      server: { fetch: () => whileOpen(fetch), put: (store, etag) => whileOpen(() => put(store, etag)) },
      clock: { now, after: () => () => {}, every: () => () => {} },
      newId: () => {
        this.#ids += 1;
        return `m-${this.#ids}`;
      },
      onChange: () => {},
      onSyncFailure: (reason) => reason !== undefined && this.failures.push(reason),
    });
    return opened;
  }
}

const fields = (project: string) => ({
  user: 'info',
  start: '2026-05-04T09:00:00.000Z',
  end: null,
  project,
  task: '',
  note: '',
});

const projectsOf = (local: LocalMarkers) => local.own.map(({ project }) => project).sort();

async function servedBy({ url }: RunningServer): Promise<readonly string[]> {
  const { markers } = (await (await fetch(`${url}/api/markers`)).json()) as { markers: { project: string }[] };
  return markers.map(({ project }) => project).sort();
}

test('must show 5: of two browsers that edit the newer wins, and no deleted marker returns', {
  timeout: 600_000,
}, async (t) => {
  const project = temporaryFolder(t);
  let server = await startDashboard(t, project);
  const browsers = new Browsers(server.url);
  const one = browsers.open();
  const other = browsers.open();
  const syncBoth = async () => {
    for (const local of [one, other, one]) await local.sync();
  };
  const shared = one.create(fields('shared'));
  const doomed = one.create(fields('doomed'));
  await syncBoth();
  assert.deepEqual(projectsOf(other), ['doomed', 'shared']);

  // Both at once, unaware of each other: in either order of writes the later edit wins.
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    first.edit(shared.id, { project: 'older' });
    second.edit(shared.id, { project: 'newer' });
    await Promise.all([first.sync(), second.sync()]);
    await syncBoth();
    for (const local of [one, other]) assert.equal(local.find(shared.id)?.project, 'newer');
    // The older edit is written last.
    first.edit(shared.id, { project: 'older' });
    await first.sync();
    assert.deepEqual(await servedBy(server), ['doomed', 'older']);
    second.edit(shared.id, { project: 'newer' });
    await syncBoth();
  }

  one.remove(doomed.id);
  // The other one still has it and writes its whole store.
  const added = other.create(fields('added'));
  await Promise.all([one.sync(), other.sync()]);
  await syncBoth();
  assert.deepEqual(projectsOf(one), ['added', 'newer']);
  assert.deepEqual(projectsOf(other), ['added', 'newer']);

  // Deleted while the other one was closed, and the server killed in between.
  other.remove(added.id);
  await other.sync();
  await server.stop('SIGKILL');
  server = await startDashboard(t, project);
  browsers.moveTo(server.url);
  one.create(fields('last'));
  await syncBoth();
  for (const local of [one, other]) assert.deepEqual(projectsOf(local), ['last', 'newer']);
  assert.deepEqual(await servedBy(server), ['last', 'newer']);
  assert.deepEqual(browsers.failures, []);
});

test('must show 5: a tab that has missed the changes of another tab loses nothing and revives nothing', async (t) => {
  const browsers = new Browsers((await startDashboard(t, temporaryFolder(t))).url);
  const storage = new Map<string, string>();
  const tab = browsers.open(storage);
  const stale = browsers.open(storage);
  const kept = tab.create(fields('kept'));
  const doomed = tab.create(fields('doomed'));
  await tab.sync();
  await stale.sync();
  tab.remove(doomed.id);
  tab.create(fields('added'));
  await tab.sync();
  // It is closed before the server has answered.
  stale.edit(kept.id, { project: 'edited' });
  browsers.close(stale);
  browsers.close(tab);
  const reopened = browsers.open(storage);
  await reopened.sync();
  assert.deepEqual(projectsOf(reopened), ['added', 'edited']);
});

test('must show 5: three browsers with any concurrent actions agree in the end, on the newest edit of every marker', {
  timeout: 600_000,
}, async (t) => {
  const server = await startDashboard(t, temporaryFolder(t));
  const browsers = new Browsers(server.url);
  const storages = Array.from({ length: 3 }, () => new Map<string, string>());
  const browserMarkers = storages.map((storage) => browsers.open(storage));
  const random = new Random(5);
  const edits = new Map<string, string>();
  const dead = new Set<string>();
  for (let step = 0; step < 120; step++) {
    const at = random.int(0, browserMarkers.length - 1);
    const local = browserMarkers[at];
    const markers = local?.own ?? [];
    const marker = markers[random.int(0, Math.max(0, markers.length - 1))];
    const name = `step ${step}`;
    const action = random.int(0, 9);
    if (!local) continue;
    if (action < 3 || !marker) edits.set(local.create(fields(name)).id, name);
    else if (action < 7) {
      local.edit(marker.id, { project: name });
      edits.set(marker.id, name);
      // By a browser that has not seen the deletion: a later edit stays.
      dead.delete(marker.id);
    } else if (action === 7) {
      browsers.close(local);
      browserMarkers[at] = browsers.open(storages[at]);
    } else if (action === 8) {
      // Deleted after all edits are synchronised.
      for (const each of [...browserMarkers, ...browserMarkers]) await each.sync();
      if (!local.find(marker.id)) continue;
      local.remove(marker.id);
      dead.add(marker.id);
    } else await local.sync();
  }
  for (const local of [...browserMarkers, ...browserMarkers]) await local.sync();
  const [first, ...others] = browserMarkers.map(({ own }) => new Map(own.map(({ id, project }) => [id, project])));
  for (const other of others) assert.deepEqual(other, first);
  for (const [id, project] of first ?? []) assert.equal(project, edits.get(id), id);
  for (const id of edits.keys()) assert.equal(first?.has(id), !dead.has(id), id);
  assert.ok(dead.size >= 5 && edits.size - dead.size >= 5);
});
