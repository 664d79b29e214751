import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfigurationEvent } from './message.ts';

describe('an event of automatic configuration is read', () => {
  const rows: readonly [name: string, event: string, data: unknown, change: unknown][] = [
    [
      'a put',
      'put',
      { path: '/', data: { environments: { e: 1 }, filters: { f: 2 } } },
      { kind: 'put', configuration: { environments: new Map([['e', 1]]), filters: new Map([['f', 2]]) } },
    ],
    [
      'a put without path and filters',
      'put',
      { data: { environments: {} } },
      { kind: 'put', configuration: { environments: new Map(), filters: new Map() } },
    ],
    ['a put of another path', 'put', { path: '/x', data: 1 }, { kind: 'ignored', what: 'put of /x' }],
    [
      'a patch of an environment',
      'patch',
      { path: '/environments/e', data: { a: 1 } },
      { kind: 'patch', items: 'environments', id: 'e', item: { a: 1 } },
    ],
    [
      'a patch of a filter',
      'patch',
      { path: '/filters/f', data: 1 },
      { kind: 'patch', items: 'filters', id: 'f', item: 1 },
    ],
    [
      'a delete',
      'delete',
      { path: '/environments/e', version: 3 },
      { kind: 'delete', items: 'environments', id: 'e', version: 3 },
    ],
    ['an unknown path', 'delete', { path: '/views/e' }, { kind: 'ignored', what: 'delete of /views/e' }],
    ['a path without an id', 'patch', { path: '/filters/' }, { kind: 'ignored', what: 'patch of /filters/' }],
    ['an unknown event', 'news', '', { kind: 'ignored', what: 'event "news"' }],
    ['a request to reconnect, whatever its data', 'reconnect', '{', { kind: 'reconnect' }],
  ];
  for (const [name, event, data, change] of rows) {
    test(name, () => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      assert.deepEqual(readConfigurationEvent(event, text), { ok: true, value: change });
    });
  }
});

describe('an event of automatic configuration is refused, without quoting it', () => {
  const rows: readonly [event: string, data: string, reason: string][] = [
    ['put', '{"sdk-secret', 'the data of a put is not a JSON object'],
    ['patch', '["sdk-secret"]', 'the data of a patch is not a JSON object'],
    ['put', '{"path":1}', 'the path of a put is not a string'],
    ['put', '{"path":"/"}', 'put: the configuration is not an object'],
    ['put', '{"path":"/","data":{}}', 'put: the configuration has no environments'],
    ['put', '{"data":{"environments":["sdk-secret"]}}', 'put: the configuration has no environments'],
    ['put', '{"data":{"environments":{},"filters":1}}', 'put: the filters of the configuration are not an object'],
    ['patch', '{"path":"/environments/e"}', 'the patch of /environments/e has no data'],
    ['delete', '{"path":"/environments/e"}', 'the delete of /environments/e has no version'],
    ['put', `{"data":[${'{},'.repeat(1_000_001)}{}]}`, 'the data of a put holds more than 1000000 objects and lists'],
  ];
  for (const [event, data, reason] of rows) {
    test(`${event} ${data.slice(0, 50)}`, () => {
      assert.deepEqual(readConfigurationEvent(event, data), { ok: false, reason });
    });
  }
});
