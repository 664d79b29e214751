import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hideKey, maskKey } from './masking.ts';

const MASKED: Record<string, [key: string, masked: string]> = {
  'an SDK key': ['sdk-1234abcd-5678-90ab-cdef-00001a2b3c', 'sdk-********-****-****-****-*****a2b3c'],
  'a mobile key': ['mob-98e2b0b4-2688-4a59-9810-1e0e3d7e42d5', 'mob-********-****-****-****-*******e42d5'],
  'an environment id, which has no kind': ['507f1f77bcf86cd799439011', '*******************39011'],
  'capital digits too': ['sdk-ABCDEF123456', 'sdk-*******23456'],
  'a rest of four characters is left': ['sdk-1234', 'sdk-1234'],
  'a rest of five characters is left': ['sdk-12345', 'sdk-12345'],
  'a kind has three small letters': ['SDK-123456', '***-*23456'],
  'a made-up key shows no more of itself': ['sdk-my-own-secret-key', 'sdk-**-***-*****t-key'],
  'nor does one outside ASCII': ['sdk-schlüssel🔑abcde', 'sdk-**********abcde'],
  nothing: ['', ''],
};

describe('maskKey', () => {
  for (const [name, [key, masked]] of Object.entries(MASKED)) test(name, () => assert.equal(maskKey(key), masked));
});

test('hideKey replaces a key wherever a text quotes it', () => {
  assert.equal(
    hideKey('"sdk-123456" is no header value: sdk-123456', 'sdk-123456'),
    '"sdk-*23456" is no header value: sdk-*23456',
  );
  assert.equal(hideKey('nothing to hide', ''), 'nothing to hide');
});
