// Whatever people write, nothing of it runs, and nothing is asked of another server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWindow, said, serveRooms } from '../../../src/rooms/testing/browser.ts';
import { launchBrowser, needsBrowser } from '../../../src/testing/browser.ts';

const HOSTILE: readonly string[] = [
  '<script>window.broken = 1</script>',
  '<img src=x onerror="window.broken = 1">',
  '![x](https://evil.example/pixel.png)',
  '![x](javascript:window.broken=1)',
  '[link](javascript:window.broken=1)',
  '[link](JaVaScRiPt:window.broken=1)',
  '[link](java\tscript:window.broken=1)',
  '[link](data:text/html;base64,PHNjcmlwdD4=)',
  '[link](vbscript:x)',
  '[link](//evil.example)',
  '<https://ok.example" onmouseover="window.broken=1>',
  '[a](https://ok.example "title\\" onmouseover=\\"window.broken=1")',
  '<svg><animate onbegin="window.broken=1" attributeName=x dur=1s>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.broken=1>',
  '<iframe srcdoc="<script>parent.broken=1</script>"></iframe>',
  '<a href="https://evil.example" ping="https://evil.example/ping">x</a>',
  '<style>@import "https://evil.example/x.css"; body { display: none }</style>',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<form action="https://evil.example"><button>x</button></form>',
  '```"><img src=x onerror=window.broken=1>\ncode\n```',
  '`<img src=x onerror=window.broken=1>`',
  '| a |\n|---|\n| <img src=x onerror=window.broken=1> |',
  '&lt;img src=x onerror=window.broken=1&gt;',
  '<div id="boot">{}</div>',
  '</script><script>window.broken = 1</script>',
  '<!-- --!><img src=x onerror=window.broken=1> -->',
];

test('messages stay text', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', {
    name: '<img src=x onerror=window.broken=1>',
    slug: 'ops',
    topic: '<b>topic</b>',
  });
  for (const body of HOSTILE) await server.send('ben', 'POST', '/api/message', { roomId: 'ops', body });
  const { page, context } = await openWindow(t, browser, server.url, 'ana', { path: '/' });
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));

  const lookAt = async (how: string) => {
    await page
      .locator('main article')
      .nth(HOSTILE.length - 1)
      .waitFor();
    // Asked for after everything that the messages may have asked for, and just as impossible to get.
    await page.evaluate(`new Promise((done) => Object.assign(new Image(), { onerror: done, src: 'x' }))`);
    assert.equal(await page.evaluate('window.broken'), undefined, how);
    const found = await page.evaluate(`[...document.querySelectorAll('main .content *')].flatMap((element) => [
      ...(['SCRIPT', 'IMG', 'IFRAME', 'STYLE', 'LINK', 'FORM', 'SVG', 'OBJECT', 'EMBED'].includes(element.tagName) ? [element.outerHTML] : []),
      ...[...element.attributes].filter(({ name }) => name.startsWith('on') || name === 'style' || name === 'ping' || name === 'srcdoc').map(({ name }) => element.outerHTML + ' ' + name)])`);
    assert.deepEqual(found, [], how);
    const links = (await page.evaluate(
      `[...document.querySelectorAll('main .body a')].map(({ href, rel, target }) => [href, rel, target])`,
    )) as readonly string[][];
    for (const [href = '', rel, target] of links) {
      assert.match(href, /^https?:\/\//, how);
      assert.deepEqual([rel, target], ['noopener noreferrer', '_blank'], how);
    }
  };

  await t.test('messages in the page data', () => lookAt('inlined'));
  await t.test('messages from the stream', async () => {
    await server.send('ben', 'POST', '/api/message', { roomId: 'ops', body: `live ${HOSTILE[1]}` });
    await said(page, 'live').waitFor();
    await lookAt('live');
  });
  await t.test('no other server received a request', () => {
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:')),
      [],
    );
  });
  await t.test('the policy allows no outside source, and no script to write HTML', async () => {
    const { headers } = await fetch(server.url);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe/);
  });
});
