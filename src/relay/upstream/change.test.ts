import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readUpstreamEvent, type UpstreamChange } from './change.ts';

const FLAG = { key: 'a', version: 1 };

const READ: Record<string, [event: string, data: unknown, change: UpstreamChange]> = {
  'a put replaces everything': [
    'put',
    { path: '/', data: { flags: { a: FLAG }, segments: {} } },
    { kind: 'put', data: { flags: { a: FLAG }, segments: {} } },
  ],
  'a put may have an empty path, or none': [
    'put',
    { path: '', data: {} },
    { kind: 'put', data: { flags: {}, segments: {} } },
  ],
  'a put of another path is ignored': ['put', { path: '/x', data: {} }, { kind: 'ignored', what: 'put of /x' }],
  'a patch sets a flag': [
    'patch',
    { path: '/flags/a', data: FLAG },
    { kind: 'patch', items: 'flags', key: 'a', item: FLAG },
  ],
  'a patch sets a segment': [
    'patch',
    { path: '/segments/s', data: FLAG },
    { kind: 'patch', items: 'segments', key: 's', item: FLAG },
  ],
  'a key may contain a slash': [
    'patch',
    { path: '/flags/a/b', data: FLAG },
    { kind: 'patch', items: 'flags', key: 'a/b', item: FLAG },
  ],
  'a patch of another path is ignored': [
    'patch',
    { path: '/configs/a', data: FLAG },
    { kind: 'ignored', what: 'patch of /configs/a' },
  ],
  'a patch of no key is ignored': [
    'patch',
    { path: '/flags/', data: FLAG },
    { kind: 'ignored', what: 'patch of /flags/' },
  ],
  'a delete has a version': [
    'delete',
    { path: '/flags/a', version: 7 },
    { kind: 'delete', items: 'flags', key: 'a', version: 7 },
  ],
  'an unknown event is ignored, whatever its data': [
    'goodbye',
    'no JSON',
    { kind: 'ignored', what: 'event "goodbye"' },
  ],
};

const REFUSED: Record<string, [event: string, data: unknown, reason: RegExp]> = {
  'a put other than JSON': ['put', '{"path":"/","data":{"secret', /^the data of a put is not a JSON object$/],
  'a patch that is a list': ['patch', [], /^the data of a patch is not a JSON object$/],
  'a put without data': ['put', { path: '/' }, /a put has no data/],
  'a put of null': ['put', { path: '/', data: null }, /^put: /],
  'a put with a list of flags': ['put', { path: '/', data: { flags: [] } }, /^put: flags/],
  'a path other than a text': ['patch', { path: 1, data: FLAG }, /the path of a patch is not a string/],
  'a patch without data': ['patch', { path: '/flags/a' }, /the patch of \/flags\/a has no data/],
  'a delete without a version': ['delete', { path: '/flags/a' }, /the delete of \/flags\/a has no version/],
};

const text = (data: unknown) => (typeof data === 'string' ? data : JSON.stringify(data));

describe('an event of upstream is read', () => {
  for (const [name, [event, data, change]] of Object.entries(READ)) {
    test(name, () => assert.deepEqual(readUpstreamEvent(event, text(data)), { ok: true, value: change }));
  }
});

describe('an event of upstream is refused', () => {
  for (const [name, [event, data, reason]] of Object.entries(REFUSED)) {
    test(name, () => {
      const read = readUpstreamEvent(event, text(data));
      assert.ok(!read.ok);
      assert.match(read.reason, reason);
    });
  }
});
