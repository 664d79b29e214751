import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CopilotSettings, Provider } from './copilot.ts';
import { type CopilotRequest, copilotOrigin, type KeyChange, replaceCopilot } from './settings.ts';

const PROFILE: Provider = {
  name: 'house',
  kind: 'openai',
  baseUrl: 'https://models.example.com/v1',
  model: 'small',
  secretRef: null,
  apiKeyInfo: { set: true, source: 'room', last4: null },
  allowPrivate: false,
  version: 1,
  updatedAt: 1,
};

function replace(current: CopilotSettings | null, request: CopilotRequest, isAdmin = true) {
  return replaceCopilot(current, request, {
    isAdmin,
    userId: 'ana',
    now: 7,
    provider: (name) => (name === 'house' ? PROFILE : undefined),
    refuseUrl: (url) => (url.includes('127.0.0.1') ? 'it is private' : undefined),
  });
}

function settingsOf(request: CopilotRequest, current: CopilotSettings | null = null): CopilotSettings {
  const replaced = replace(current, request);
  assert.ok(replaced.ok, JSON.stringify(replaced));
  return replaced.value.settings;
}

const KEY = 'sk-0123456789abcdef';

test('omitted settings take their defaults, whatever the earlier ones', () => {
  const first = settingsOf({ provider: 'echo', trigger: 'always', limits: { queue: 1 }, instructions: 'x' });
  assert.equal(first.limits.queue, 1);
  assert.equal(first.limits.concurrent, 1);
  const { version, ...second } = settingsOf({ provider: 'echo' }, first);
  const { version: _, ...fresh } = settingsOf({ provider: 'echo' });
  assert.deepEqual(second, fresh);
  assert.equal(version, 2);
});

test('equal settings are the same object, also with all fields set by the server', () => {
  const current = settingsOf({ provider: 'house', apiKey: KEY, redact: { patterns: ['a+'] } });
  const replaced = replace(current, { ...current, ...({ updatedAt: 'x', version: 99, health: {} } as object) }, false);
  assert.ok(replaced.ok && replaced.value.settings === current);
});

const KEYS: readonly (readonly [
  string,
  CopilotRequest,
  CopilotRequest,
  KeyChange['kind'] | 'refused',
  string | null,
])[] = [
  ['omitted keeps it', { apiKey: KEY }, { name: 'x' }, 'keep', 'room'],
  ['null removes it', { apiKey: KEY }, { apiKey: null }, 'remove', null],
  ['a new one takes its place', { apiKey: KEY }, { apiKey: `${KEY}2` }, 'set', 'room'],
  ['another provider does not get it', { apiKey: KEY }, { provider: 'anthropic' }, 'refused', null],
  ['another address does not get it', { apiKey: KEY }, { baseUrl: 'https://evil.example.com' }, 'refused', null],
  ['another path of the same address does', { apiKey: KEY }, { baseUrl: 'https://api.openai.com/v2' }, 'keep', 'room'],
  ['a new key may go elsewhere', { apiKey: KEY }, { provider: 'anthropic', apiKey: KEY }, 'set', 'room'],
  ['none may go elsewhere', { apiKey: KEY }, { provider: 'anthropic', apiKey: null }, 'remove', null],
  ['a reference takes its place', { apiKey: KEY }, { secretRef: 'env:OPSDECK_COPILOT_X' }, 'remove', 'env'],
  ['a reference stays', { secretRef: 'file:x' }, { name: 'x' }, 'keep', 'file'],
  ['a reference goes nowhere else', { secretRef: 'file:x' }, { provider: 'anthropic' }, 'refused', null],
  ['unless it is given anew', { secretRef: 'file:x' }, { provider: 'anthropic', secretRef: 'file:x' }, 'keep', 'file'],
  ['a reference is removed', { secretRef: 'file:x' }, { secretRef: null }, 'keep', null],
  ['a key takes its place', { secretRef: 'file:x' }, { apiKey: KEY }, 'set', 'room'],
  ['not both at once', {}, { apiKey: KEY, secretRef: 'file:x' }, 'refused', null],
];

for (const [rule, before, request, kind, source] of KEYS) {
  test(`the key of a copilot: ${rule}`, () => {
    const current = settingsOf({ provider: 'openai', ...before });
    const replaced = replace(current, { provider: 'openai', ...request });
    assert.equal(replaced.ok ? replaced.value.key.kind : 'refused', kind);
    if (replaced.ok) assert.equal(replaced.value.settings.apiKeyInfo.source, source);
    assert.ok(!JSON.stringify(replaced.ok ? replaced.value.settings : replaced).includes(KEY), 'it is shown nowhere');
  });
}

test('addresses and references are set by admins of the server alone, and sent back by any caller', () => {
  for (const request of [{ baseUrl: 'https://other.example.com' }, { secretRef: 'file:x' }]) {
    const refused = replace(null, { provider: 'openai', ...request }, false);
    assert.ok(!refused.ok && refused.code === 'forbidden', JSON.stringify(request));
    const current = settingsOf({ provider: 'openai', ...request });
    const again = replace(current, { provider: 'openai', ...request, name: 'x' }, false);
    assert.ok(again.ok && again.value.key.kind === 'keep');
  }
  const kept = settingsOf({ provider: 'openai', secretRef: 'file:x' });
  const moved = replace(kept, { provider: 'anthropic', secretRef: 'file:x' }, false);
  assert.ok(!moved.ok, 'sending a reference back does not show it to another address');
});

test('a forbidden address is refused, and so is an absent provider', () => {
  assert.ok(!replace(null, { baseUrl: 'http://127.0.0.1/' }).ok);
  assert.ok(!replace(null, { provider: 'nobody' }).ok);
  for (const provider of ['default', 'house', 'openai', 'echo']) assert.ok(replace(null, { provider }).ok, provider);
});

test('the last characters of a short key would reveal too much', () => {
  assert.equal(settingsOf({ apiKey: KEY }).apiKeyInfo.last4, 'cdef');
  assert.deepEqual(settingsOf({ apiKey: '12345678' }).apiKeyInfo, { set: true, source: 'room', last4: null });
});

test('a key belongs to the origin of the address, or of the provider', () => {
  assert.equal(copilotOrigin({ provider: 'house', baseUrl: null }, PROFILE), 'https://models.example.com');
  assert.equal(copilotOrigin({ provider: 'house', baseUrl: 'https://a.example:8/x' }, PROFILE), 'https://a.example:8');
  assert.equal(copilotOrigin({ provider: 'anthropic', baseUrl: null }, undefined), 'https://api.anthropic.com');
  assert.equal(copilotOrigin({ provider: 'default', baseUrl: null }, undefined), 'provider:default');
});
