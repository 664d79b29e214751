// The data that the server puts into the page, by reader.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Boot } from '../../src/rooms/contract/boot.ts';
import { type RoomsServer, serveRooms } from '../../src/rooms/testing/browser.ts';

async function open(server: RoomsServer, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(server.url + path, { headers });
  const html = await response.text();
  const [, json = 'null'] = /<script type="application\/json" id="boot">([^<]*)<\/script>/.exec(html) ?? [];
  return { response, html, boot: JSON.parse(json) as Boot };
}

async function setUp(t: TestContext): Promise<RoomsServer> {
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Ops', slug: 'ops' });
  await server.send('ana', 'POST', '/api/room', { name: 'Other', slug: 'other' });
  return server;
}

test('the page of a server without sign-in', async (t) => {
  const server = await setUp(t);
  const asAna = { cookie: 'opsdeck_user=ana' };

  await t.test(
    'it holds the last 50 messages of its room, and the place on the stream from which to go on',
    async () => {
      for (let index = 1; index <= 60; index++)
        await server.send('ana', 'POST', '/api/message', { roomId: 'ops', body: `m ${index}` });
      const { boot } = await open(server, '/r/ops', asAna);
      assert.equal(boot.user?.id, 'ana');
      assert.deepEqual(
        boot.room?.messages.map(({ seq }) => seq),
        Array.from({ length: 50 }, (_, index) => index + 11),
      );
      assert.match(boot.cursor, /^\w+-\d+$/);
      assert.deepEqual(boot.rooms.map(({ slug }) => slug).sort(), ['ops', 'other']);
    },
  );

  await t.test('without a room in its address it opens the room seen last', async () => {
    assert.equal(
      (await open(server, '/', { cookie: 'opsdeck_user=ana; opsdeck_room=other' })).boot.room?.slug,
      'other',
    );
    assert.equal((await open(server, '/', asAna)).boot.room?.slug, 'ops');
    assert.equal((await open(server, '/', { cookie: 'opsdeck_user=ana; opsdeck_room=gone' })).boot.room?.slug, 'ops');
  });

  await t.test('an address of a message holds the messages around it', async () => {
    const { id } = (await open(server, '/r/ops', asAna)).boot.room?.messages[0] ?? { id: '' };
    const { boot } = await open(server, `/r/ops/m/${id}`, asAna);
    assert.equal(boot.focus, id);
    assert.equal(
      boot.room?.messages.some((message) => message.id === id),
      true,
    );
    assert.equal(boot.room?.hasAfter, true);
  });

  await t.test('an absent room opens none, and its name is shown', async () => {
    const { response, boot } = await open(server, '/r/nowhere', asAna);
    assert.equal(response.status, 200);
    assert.deepEqual([boot.room, boot.asked], [null, 'nowhere']);
  });

  await t.test('an invalid name has no user, and sees nothing', async () => {
    const { boot } = await open(server, '/r/ops', { cookie: 'opsdeck_user=%3Cb%3E' });
    assert.deepEqual(boot, { auth: 'none', user: null });
  });

  await t.test('no text ends the data that hold it', async () => {
    await server.send('ana', 'POST', '/api/message', { roomId: 'ops', body: '</script><!--<script>\u2028&lt;' });
    const { html, boot } = await open(server, '/r/ops', asAna);
    assert.equal(boot.room?.messages.at(-1)?.body, '</script><!--<script>\u2028&lt;');
    assert.equal(html.split('</script>').length, 4);
  });

  await t.test('the page is fetched anew each time; its files are cached for ever', async () => {
    const { response, html } = await open(server, '/r/ops', asAna);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const files = [...html.matchAll(/"(\.\.\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
    // The style sheet, two scripts, the German texts and refusals.
    assert.equal(files.length, 5);
    for (const path of files) {
      const file = await fetch(new URL(path, `${server.url}/r/ops`));
      await file.arrayBuffer();
      assert.deepEqual([file.status, file.headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
    }
    assert.equal((await fetch(`${server.url}/assets/main-00000000.js`)).status, 404);
  });

  await t.test('it answers GET and HEAD alone', async () => {
    const posted = await fetch(`${server.url}/r/ops`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    assert.equal((await fetch(`${server.url}/r/ops`, { method: 'HEAD' })).status, 200);
  });
});

test('the page of a server with sign-in holds no data without a session', async (t) => {
  const server = await serveRooms(t, ['--auth', 'token']);
  for (const headers of [{}, { cookie: 'opsdeck_user=local' }, { 'x-opsdeck-user': 'local' }]) {
    const { boot } = await open(server, '/', headers as Record<string, string>);
    assert.deepEqual(boot, { auth: 'token', user: null });
  }
});
