import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMember } from './cluster-member.ts';

test('without a listen address there is no cluster', () => {
  assert.equal(describeMember(undefined, 'name'), undefined);
});

test('the only member has its name and an address that others could use', () => {
  assert.deepEqual(describeMember({ host: '10.1.2.3', port: 9094 }, 'me'), { name: 'me', address: '10.1.2.3:9094' });
  assert.deepEqual(describeMember({ host: '::1', port: 9094 }, 'me'), { name: 'me', address: '[::1]:9094' });
  for (const host of ['0.0.0.0', '::', undefined]) {
    const address = describeMember({ host, port: 9094 }, 'me')?.address ?? '';
    assert.match(address, /^\d+\.\d+\.\d+\.\d+:9094$/);
    assert.doesNotMatch(address, /^0\.0\.0\.0/);
  }
});

test('the port 0 is shown as that of the web interface', () => {
  const portOf = (port: number) => describeMember({ host: 'h', port }, 'me', 9093)?.address;
  assert.deepEqual([portOf(0), portOf(9094)], ['h:9093', 'h:9094']);
});

test('a member without a name generates a unique one, in the form that clients expect', () => {
  const names = [1, 2].map(() => describeMember({ host: 'h', port: 1 }, undefined)?.name ?? '');
  for (const name of names) assert.match(name, /^[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.notEqual(names[0], names[1]);
});
