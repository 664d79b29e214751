import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import type { Clock } from './clock.ts';
import { listen } from './http/server.ts';
import type { RequestRules } from './http/server-guard.ts';

/** Whose pauses are over in the next turn. */
const IMPATIENT: Clock = {
  now: () => 0,
  monotonic: () => 0,
  every: () => () => {},
  after(_, action) {
    const immediate = setImmediate(action);
    return () => clearImmediate(immediate);
  },
};

const USERS = new Map([
  ['prometheus', 'hash of secret'],
  ['ann', 'hash of hers'],
]);

/** A server that compares passwords only on request. */
async function start(t: TestContext) {
  let arrived = 0;
  let tellArrival = () => {};
  const untilArrived = async (count: number) => {
    while (arrived < count)
      await new Promise<void>((done) => {
        tellArrival = done;
      });
  };
  let users: RequestRules['users'] = USERS;
  const compared: string[] = [];
  let open = () => {};
  let opened = Promise.resolve();
  const hold = () => {
    opened = new Promise((done) => {
      open = done;
    });
  };
  hold();
  const listener = await listen({
    fetch: () => new Response('hello'),
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: IMPATIENT,
    rules: () => {
      arrived++;
      tellArrival();
      return { headers: {}, users };
    },
    async comparePassword(password, hash) {
      compared.push(password);
      await opened;
      return hash === `hash of ${password}`;
    },
  });
  t.after(() => listener.close(0));
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const get = (user: string, password: string, localAddress = '127.0.0.1') =>
    new Promise<IncomingMessage>((done, fail) => {
      const headers = { authorization: `Basic ${btoa(`${user}:${password}`)}` };
      request(listener.url, { headers, localAddress, agent }, (response) => {
        response.resume();
        done(response);
      })
        .on('error', fail)
        .end();
    });
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  /** Connections that try one wrong password after the other, for as long as the test lasts. */
  const flood = async (connections: number, user: string, localAddress?: string) => {
    const before = arrived;
    for (let connection = 0; connection < connections; connection++) {
      const attack = async () => {
        for (let tries = 0; !isOver; tries++) await get(user, `wrong ${connection}-${tries}`, localAddress);
      };
      attack().catch(() => {});
    }
    await untilArrived(before + connections);
  };
  /** How many passwords are compared before and with this one, which is right. */
  const comparisonsUntil = async (user: string, password: string, localAddress?: string) => {
    const before = arrived;
    const answer = get(user, password, localAddress);
    await untilArrived(before + 1);
    open();
    assert.equal((await answer).statusCode, 200);
    return compared.indexOf(password) + 1;
  };
  const setUsers = (fresh: RequestRules['users']) => {
    users = fresh;
  };
  return { get, flood, comparisonsUntil, hold, open: () => open(), compared, setUsers };
}

describe('while 40 connections try wrong passwords one after the other, a new user is accepted', () => {
  test('after one other comparison where they guess names, even from the same address', async (t) => {
    const { flood, comparisonsUntil } = await start(t);
    await flood(40, 'nobody');
    assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 2);
  });

  test('after one other comparison where the attackers have the name of another user', async (t) => {
    const { flood, comparisonsUntil } = await start(t);
    await flood(40, 'ann');
    assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 3);
  });

  test('after two other comparisons where the attackers have the name and another address', async (t) => {
    const { flood, comparisonsUntil } = await start(t);
    await flood(40, 'prometheus', '127.0.0.2');
    assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 3);
  });

  test('after all earlier ones where the attackers have the name and share the address, as behind a proxy', async (t) => {
    const { flood, comparisonsUntil } = await start(t);
    await flood(40, 'prometheus');
    assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 41);
  });

  test('after four other comparisons where the user has failed before, and has no reserved place', async (t) => {
    const { get, flood, comparisonsUntil, hold, open, compared } = await start(t);
    open();
    assert.equal((await get('prometheus', 'mistyped')).statusCode, 401);
    hold();
    compared.length = 0;
    await flood(40, 'nobody');
    assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 4);
  });
});

test('a client with too many waiting passwords is refused with a retry delay, and no other client is', async (t) => {
  const { get, flood, comparisonsUntil } = await start(t);
  await flood(49, 'nobody');
  const refused = await get('nobody', 'one more');
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '5']);
  assert.ok((await comparisonsUntil('prometheus', 'secret')) <= 2);
});

test('a password that waited is refused once its user is removed from the configuration', async (t) => {
  const { get, flood, open, setUsers } = await start(t);
  await flood(1, 'nobody');
  const answer = get('ann', 'hers');
  setUsers(new Map([['prometheus', 'hash of secret']]));
  open();
  assert.equal((await answer).statusCode, 401);
});
