import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { HANG_MS } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { type RawAnswer, RawConnection } from '../../testing/http/raw-connection.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { type RunningServer, startOpsdeck } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { type FuzzedRequest, Fuzzer } from '../testing/fuzzer.ts';

const SEED = 20260101;
const FRAMED = isLongRound ? 9000 : 900;
const BROKEN = isLongRound ? 1000 : 100;
const CONNECTIONS = 8;

/** What a process writes when something escaped it. */
const ESCAPED = /unexpected failure|unhandled|uncaught|\b(Type|Range|Reference|Syntax)Error\b|^\s+at /im;

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString('latin1').slice(0, 1500));

/** A 503 is documented for too many GETs at once; any other 5xx is a fault. */
function assertNoFailure(status: number, text: string, about: string): void {
  if (status < 500 || (status === 503 && text.startsWith('Limit of concurrent GET requests reached'))) return;
  assert.fail(`${about} was answered with ${status}: ${text.slice(0, 500)}`);
}

function assertGoodAnswer({ status, head, body }: RawAnswer, about: string): void {
  const text = body.toString('utf8');
  assertNoFailure(status, text, about);
  assert.ok(status >= 200, `${about} was answered with ${head}`);
  // Long lists are all alike, and take their time to parse.
  if (!/^content-type: application\/json/im.test(head) || text === '' || text.length > 50_000) return;
  try {
    JSON.parse(text);
  } catch {
    assert.fail(`${about} was answered with broken JSON: ${text.slice(0, 500)}`);
  }
}

interface Numbered {
  readonly request: FuzzedRequest;
  readonly about: string;
}

const open = (server: RunningServer) => RawConnection.open(server.url, { keepBodies: true });

/** Sends the requests one after the other over one connection, opened anew when the server has closed it. */
async function pour(server: RunningServer, fuzzer: Fuzzer, take: () => Numbered | undefined): Promise<void> {
  let connection = await open(server);
  const exchange = ({ method, bytes }: FuzzedRequest) => connection.exchange(method, bytes);
  for (let taken = take(); taken; taken = take()) {
    const { request, about } = taken;
    if (connection.closed) connection = await open(server);
    const answer = await exchange(request).catch(async () => {
      // The server may have closed a kept connection while the request was under way, but not a new one.
      connection = await open(server);
      return exchange(request).catch((error: unknown) => {
        throw new Error(`${about} got no answer`, { cause: error });
      });
    });
    assertGoodAnswer(answer, about);
    const id = /^\{"silenceID":"([^"]+)"\}/.exec(answer.body.toString('latin1', 0, 80))?.[1];
    if (id) fuzzer.learnId(id);
    if (/^connection: close/im.test(answer.head)) connection.close();
  }
  connection.close();
}

/** Sends bytes and their end; gives all that came back until the server closed too. Fails if it does not. */
function sendBroken(server: RunningServer, bytes: Buffer, about: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((done, fail) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => {
      socket.destroy();
      fail(new Error(`${about} left the connection open`));
    }, HANG_MS);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset is an end as well.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      done(text);
    });
    socket.end(bytes);
  });
}

async function assertStillServes(server: RunningServer, client: PlainClient): Promise<void> {
  const alert = { labels: { alertname: 'AfterTheStorm', zone: 'calm' }, annotations: { text: 'still here' } };
  assert.equal((await client.post('/api/v2/alerts', [alert])).status, 200);
  const listed = await client.get(`/api/v2/alerts?filter=${encodeURIComponent('alertname="AfterTheStorm"')}`);
  assert.equal(listed.status, 200);
  const [found, ...others] = JSON.parse(listed.body);
  assert.deepEqual(others, []);
  assert.deepEqual(found.labels, alert.labels);
  assert.deepEqual(found.annotations, alert.annotations);
  for (const path of ['/api/v2/alerts', '/api/v2/alerts/groups', '/api/v2/silences', '/api/v2/status', '/-/healthy']) {
    assert.equal((await client.get(path)).status, 200, path);
  }
  assert.doesNotMatch(server.stderr(), ESCAPED);
}

test('random and mutated requests leave no failure, and a server that still answers', {
  only: isLongRound,
}, async (t) => {
  const server = await startOpsdeck(t);
  const client = new PlainClient(t, server.url);

  await t.test(`${FRAMED} requests with spoiled bodies, queries, headers and paths are each answered`, async () => {
    const fuzzer = new Fuzzer(new Random(SEED));
    let number = 0;
    const take = () => {
      if (number >= FRAMED) return undefined;
      const request = fuzzer.next();
      return { request, about: `request ${++number} of seed ${SEED}: ${shown(request.bytes)}` };
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, () => pour(server, fuzzer, take)));
    await assertStillServes(server, client);
  });

  await t.test(`${BROKEN} requests with broken framing are each answered or closed`, async () => {
    const fuzzer = new Fuzzer(new Random(SEED + 1));
    let number = 0;
    const drain = async () => {
      while (number < BROKEN) {
        const bytes = fuzzer.nextBroken();
        const about = `broken request ${++number} of seed ${SEED + 1}: ${shown(bytes)}`;
        const answer = await sendBroken(server, bytes, about);
        for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
          assertNoFailure(Number(status), answer, about);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, drain));
    await assertStillServes(server, client);
  });

  await t.test('then it ends in order', async () => {
    assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
    assert.doesNotMatch(server.stderr(), ESCAPED);
  });
});
