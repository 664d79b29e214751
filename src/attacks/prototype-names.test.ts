import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttackedServer, rawClient, startEveryServer } from './testing/every-server.ts';

/** Names of Object.prototype, or names that would change it. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'toJSON',
  'constructor.prototype.polluted',
];
/** Keys of a flag file that a copy by assignment would lose or misread. */
const FLAGS = '{"flagValues":{"__proto__":true,"constructor":1,"plain":true}}';
const POLLUTION = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

/** Each is sent in every place for a name: as it is, in JSON, and as a label. */
type Request = readonly [
  method: string,
  path: string,
  body?: string | undefined,
  headers?: Readonly<Record<string, string>>,
];
type Requests = (name: string, json: string) => readonly Request[];

const ATTACKS: Readonly<Record<AttackedServer['name'], Requests>> = {
  alerts: (name, json) => [
    ['GET', `/api/v2/silence/${name}`],
    ['GET', `/api/v2/alerts?filter=${name}%3D%22x%22&receiver=${name}&${name}=x`],
    ['GET', `/api/v2/silences?${name}=x&filter=${name}%3D~%22.*%22`],
    ['GET', `/api/v2/explain?${name}=x`],
    ['GET', `/api/v2/notifications?${name}=x&limit=${name}`],
    ['GET', `/${name}`],
    ['GET', `/api/v2/${name}`],
    ['POST', '/api/v2/alerts', `[{"labels":{"alertname":"a",${json}:"x"},"annotations":{${json}:"y"}}]`],
    ['POST', '/api/v2/alerts', `[{"labels":{"alertname":"a"},${json}:${POLLUTION}}]`],
    ['POST', '/api/v2/alerts', `[${POLLUTION}]`],
    ['POST', '/api/v2/alerts', POLLUTION],
    [
      'POST',
      '/api/v2/silences',
      `{"matchers":[{"name":${json},"value":"x","isRegex":false}],"startsAt":"2030-01-01T00:00:00Z","endsAt":"2030-01-02T00:00:00Z","createdBy":${json},"comment":${json}}`,
    ],
    ['POST', '/api/v2/silences', POLLUTION],
  ],
  relay: (name, json) => [
    ['GET', `/sdk/flags/${name}`],
    ['GET', `/sdk/segments/${name}`],
    ['GET', `/sdk/flags?filter=${name}&${name}=x`],
    ['GET', `/sdk/flags/plain?filter=${name}`, undefined, { authorization: name }],
    ['GET', `/sdk/evalx/contexts/${encode(`{"kind":"user","key":${json},${json}:${json}}`)}`],
    ['GET', `/sdk/evalx/contexts/${encode(`{"kind":"multi",${json}:{"key":"a"}}`)}`],
    ['GET', `/sdk/evalx/contexts/${encode(`{"kind":${json},"key":"a"}`)}`],
    ['GET', `/sdk/evalx/contexts/${encode(`{"kind":"user","key":"a","_meta":{"privateAttributes":[${json}]}}`)}`],
    ['GET', `/sdk/evalx/users/${encode(`{"key":"a","custom":{${json}:1}}`)}`],
    ['GET', `/sdk/evalx/${name}/contexts/${encode('{"kind":"user","key":"a"}')}`],
    ['GET', `/sdk/goals/${name}`],
    ['GET', `/ping/${name}`],
    ['REPORT', '/sdk/evalx/context', POLLUTION],
    ['POST', `/ofrep/v1/evaluate/flags/${name}`, `{"context":{"targetingKey":"a",${json}:1}}`],
    ['POST', '/ofrep/v1/evaluate/flags', `{"context":${POLLUTION}}`],
    ['POST', '/bulk', `[{"kind":"custom","key":${json},"creationDate":1,"context":{"kind":"user","key":${json}}}]`],
    ['POST', '/bulk', `[${POLLUTION}]`],
    ['POST', '/diagnostic', POLLUTION],
    ['GET', `/${name}`],
  ],
  dashboard: (name, json) => [
    ['GET', `/${name}`],
    ['GET', `/sample/${name}`],
    ['GET', `/data/${name}`],
    ['GET', `/api/${name}`],
    ['GET', `/api/summary?user=${name}&${name}=x`],
    ['GET', `/api/events?user=${name}&stream=${name}`],
    ['GET', `/api/markers?user=${name}`],
    ['POST', '/api/events', `{"user":${json}}`],
    ['POST', '/api/events', POLLUTION],
    [
      'PUT',
      '/api/markers',
      `{"version":1,"markers":[{"id":${json},"name":${json},"category":${json},"users":[${json}],"startAt":"2030-01-01T00:00:00Z",${json}:1}]}`,
    ],
    ['PUT', '/api/markers', POLLUTION],
    ['GET', '/health', undefined, { cookie: `${name}=x; ${name}` }],
  ],
  rooms: (name, json) => [
    ['GET', `/api/room/${name}`],
    ['GET', `/api/room/${name}/message`],
    ['GET', `/api/message/${name}`],
    ['GET', `/api/file/${name}`],
    ['GET', `/api/run/${name}`],
    ['GET', `/api/hook/${name}`],
    ['POST', `/api/hook/${name}/${name}`, '{}'],
    ['GET', `/api/token/${name}`],
    ['GET', `/api/user/${name}`],
    ['GET', `/api/invite/${name}`],
    ['GET', `/api/provider/${name}`],
    ['GET', `/api/room/lobby/member/${name}`],
    ['PUT', `/api/room/lobby/member/${name}`, '{"role":"member"}'],
    ['GET', `/api/search?q=${name}&room=${name}&from=${name}&type=${name}`],
    ['GET', `/api/room?label=${name}%3Dx&${name}=y`],
    ['GET', `/api/event/log?since=0&wait=0&types=${name}&rooms=${name}`],
    ['GET', `/api/audit?room=${name}`],
    ['POST', '/api/user', `{"id":${json}}`],
    ['POST', '/api/room', `{"name":"x","slug":${json}}`],
    ['POST', '/api/room', `{"name":"x","labels":{${json}:"y"}}`],
    ['POST', '/api/room', `{"name":"x",${json}:${POLLUTION}}`],
    ['POST', '/api/room', POLLUTION],
    ['PUT', '/api/room/lobby/copilot', `{"provider":${json}}`],
    ['POST', '/api/provider', `{"name":${json},"kind":"echo"}`],
    ['POST', '/api/message', `{"roomId":${json},"body":"x","threadId":${json}}`],
    ['POST', '/api/room/lobby/message', `{"id":${json},"body":"@${name} in ${name}"}`],
    ['POST', '/api/room/lobby/message', `{"body":"x","attachments":[${json}]}`],
    ['POST', '/api/room/lobby/message', `{"body":"x","type":"alert","card":${POLLUTION}}`],
    ['POST', '/api/room/lobby/message', '{"body":"x"}', { 'idempotency-key': name }],
    ['PUT', '/api/room/lobby/read', `{"threadReads":{${json}:1}}`],
    ['PUT', `/api/message/${name}/reaction/${name}`],
    ['POST', `/api/message/${name}/action/${name}`],
    ['GET', '/api/room', undefined, { 'x-opsdeck-user': name }],
    ['GET', '/api/room', undefined, { cookie: `opsdeck_session=x; ${name}=y` }],
  ],
  hub: (name) => [
    ['GET', `/${name}`],
    ['GET', `/servers.json?${name}=x`],
    [name.replace(/\W/g, ''), '/'],
  ],
};

const encode = (text: string) => Buffer.from(text).toString('base64url');

test('names of Object.prototype are names like others, and change nothing for other requests', async (t) => {
  const { servers, rooms, sdkKey, urlOf } = await startEveryServer(t, { flags: JSON.parse(FLAGS) });
  await rooms.send('POST', '/api/room', { body: { name: 'Lobby' } });
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const wrong: string[] = [];
  for (const { name: server, url, log } of servers) {
    const exchange = rawClient(t, url);
    const statuses = new Set<number | undefined>();
    for (const name of NAMES) {
      for (const [method, path, body = '', more = {}] of ATTACKS[server](name, JSON.stringify(name))) {
        const headers = {
          Host: '127.0.0.1',
          Authorization: server === 'relay' ? sdkKey : undefined,
          'Content-Type': body === '' ? undefined : 'application/json',
          'Content-Length': body === '' ? undefined : String(Buffer.byteLength(body)),
          ...more,
        };
        const head = Object.entries(headers).flatMap(([key, value]) => (value === undefined ? [] : `${key}: ${value}`));
        const bytes = `${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`;
        const answer = await exchange(method, bytes);
        statuses.add(answer?.status);
        if (answer === undefined || answer.status >= 500)
          wrong.push(`${server}: ${method} ${path} ${body}: ${answer?.status} ${answer?.body}`);
        if (/native code|\[object /.test(answer?.body.toString() ?? ''))
          wrong.push(`${server}: ${method} ${path} answers ${answer?.body}`.slice(0, 300));
      }
    }
    assert.ok(statuses.has(200) && statuses.has(404), `${server}: ${[...statuses]}`);
    assert.doesNotMatch(log(), /level=ERROR/, server);
  }
  assert.deepEqual(wrong, []);
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  // A value stored under such a name is returned under it, and under no other.
  const alerts = await (await fetch(`${urlOf('alerts')}/api/v2/alerts?filter=toString%3D%22x%22`)).json();
  assert.deepEqual(
    (alerts as { labels: object }[]).map(({ labels }) => labels),
    [{ alertname: 'a', toString: 'x' }],
  );

  const plain = await fetch(`${urlOf('relay')}/sdk/flags`, { headers: { authorization: sdkKey } });
  assert.deepEqual(Object.keys((await plain.json()) as object), ['__proto__', 'constructor', 'plain']);
});
