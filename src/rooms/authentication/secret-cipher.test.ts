import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { createSecretCipher, loadSecretKey } from './secret-cipher.ts';

const cipher = createSecretCipher('one key');

test('a sealed secret is opened again, and is not readable while sealed', () => {
  const secret = cipher.seal('room/1', 'sk-very-secret', 'https://models.example.com');
  assert.equal(cipher.open('room/1', secret), 'sk-very-secret');
  assert.ok(!Buffer.from(secret.sealed, 'base64').includes('sk-very'));
});

test('the same secret is sealed differently each time', () => {
  assert.notEqual(cipher.seal('room/1', 'k', 'o').sealed, cipher.seal('room/1', 'k', 'o').sealed);
});

test('a secret opens neither for another owner, nor for another origin, nor by another key', () => {
  const secret = cipher.seal('room/1', 'sk-1', 'https://a.example.com');
  assert.equal(cipher.open('room/2', secret), undefined);
  assert.equal(cipher.open('room/1', { ...secret, origin: 'https://b.example.com' }), undefined);
  assert.equal(createSecretCipher('another').open('room/1', secret), undefined);
});

test('a damaged secret does not open', () => {
  const { sealed, origin } = cipher.seal('room/1', 'sk-1', 'o');
  const bytes = Buffer.from(sealed, 'base64');
  for (let index = 0; index < bytes.length; index++) {
    const damaged = Buffer.from(bytes);
    damaged[index] = (damaged[index] ?? 0) ^ 1;
    assert.equal(cipher.open('room/1', { sealed: damaged.toString('base64'), origin }), undefined);
  }
  assert.equal(cipher.open('room/1', { sealed: '', origin }), undefined);
  assert.equal(cipher.open('room/1', { sealed: sealed.slice(0, 10), origin }), undefined);
});

test('the key of a data directory is made once, and for its owner alone', (t) => {
  const folder = temporaryFolder(t);
  const key = loadSecretKey(folder);
  assert.equal(loadSecretKey(folder), key);
  assert.equal(statSync(join(folder, 'secret.key')).mode & 0o777, 0o600);
  assert.ok(readFileSync(join(folder, 'secret.key'), 'utf8').length > 40);
});

test('an empty key file is refused by name', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'secret.key'), '');
  assert.throws(() => loadSecretKey(folder), /secret\.key.*it is empty.*OPSDECK_SECRET_KEY/);
});
