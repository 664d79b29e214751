import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAuthorization } from './credentials.ts';
import { createTestRelay } from './testing/app.ts';

describe('the header of a server or a mobile application', () => {
  const cases: readonly (readonly [header: string | undefined, key: string | undefined])[] = [
    ['sdk-1', 'sdk-1'],
    ['  sdk-1  ', 'sdk-1'],
    ['api_key sdk-1', 'sdk-1'],
    ['api_key   sdk-1 ', 'sdk-1'],
    [undefined, undefined],
    ['', undefined],
    ['   ', undefined],
    ['api_key ', undefined],
    ['Bearer sdk-1', undefined],
    ['sdk 1', undefined],
    ['API_KEY sdk-1', undefined],
  ];
  for (const [header, key] of cases) {
    test(`${JSON.stringify(header)}: ${key}`, () => assert.equal(readAuthorization(header), key));
  }
});

describe('a credential', () => {
  const two = [
    { name: 'one', sdkKey: 'sdk-1', mobileKey: 'mob-1', envId: 'id-1' },
    { name: 'one/small', sdkKey: 'sdk-1', mobileKey: 'mob-1', envId: 'id-1', filter: 'small' },
    { name: 'two', sdkKey: 'sdk-2', mobileKey: undefined, envId: undefined },
  ];

  test('finds the environment of its kind of SDK and payload filter', (t) => {
    const { credentials, environments } = createTestRelay(t, { environments: two });
    const [one, small, other] = environments;
    const cases = [
      ['server', 'sdk-1', '', one],
      ['server', 'sdk-1', 'small', small],
      ['server', 'sdk-2', '', other],
      ['mobile', 'mob-1', '', one],
      ['client', 'id-1', 'small', small],
      ['server', 'sdk-1', 'large', 'unknown filter'],
      ['server', 'sdk-2', 'small', 'unknown filter'],
      ['mobile', 'sdk-1', '', 'unknown credential'],
      ['client', 'sdk-1', '', 'unknown credential'],
      ['server', 'sdk-3', '', 'unknown credential'],
      ['client', '__proto__', '', 'unknown credential'],
    ] as const;
    for (const [sdkKind, credential, filter, found] of cases) {
      assert.equal(credentials.find(sdkKind, credential, filter), found, `${sdkKind} ${credential} ${filter}`);
    }
  });

  test('of an environment that is removed is unknown; that of its variants stays', (t) => {
    const { credentials, environments } = createTestRelay(t, { environments: two });
    const [one, small, other] = environments;
    assert.ok(one && small && other);
    credentials.remove(one);
    assert.equal(credentials.find('server', 'sdk-1'), 'unknown filter');
    assert.equal(credentials.find('server', 'sdk-1', 'small'), small);
    credentials.remove(small);
    assert.equal(credentials.find('server', 'sdk-1', 'small'), 'unknown credential');
    assert.deepEqual([...credentials.environments], [other]);
  });

  test('may be added to the usual ones, and is removed with them', (t) => {
    const additionalKeys = [{ sdkKind: 'server', key: 'sdk-old', expiresAt: undefined }] as const;
    const { credentials, environment } = createTestRelay(t, { environments: [{ ...two[0], additionalKeys }] });
    assert.equal(credentials.find('server', 'sdk-old'), environment);
    assert.equal(credentials.find('mobile', 'sdk-old'), 'unknown credential');
    credentials.remove(environment);
    assert.equal(credentials.find('server', 'sdk-old'), 'unknown credential');
  });
});
