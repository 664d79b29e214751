import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Flags } from '../../kernel/settings/settings.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import { writeFiles } from '../testing/app.ts';
import { type DashboardOptions, loadConfig } from './config.ts';
import type { SETTINGS } from './settings.ts';

function load(
  t: Cleanup,
  { flags = {}, env = {}, file }: { flags?: Flags<typeof SETTINGS>; env?: Record<string, string>; file?: string },
) {
  const project = temporaryFolder(t);
  if (file !== undefined) writeFiles(project, { '.env': file });
  return loadConfig({ project, ...flags }, env);
}

function options(t: Cleanup, from: Parameters<typeof load>[1]): DashboardOptions {
  const outcome = load(t, from);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value.options;
}

function problems(t: Cleanup, from: Parameters<typeof load>[1]): string {
  const outcome = load(t, from);
  assert.ok(!outcome.ok);
  return outcome.problems.join('\n');
}

const tokensOf = ({ users }: DashboardOptions) => Object.fromEntries(users.map(({ id, token }) => [id, token]));

test('defaults: this machine, port 8060, 120 seconds, info and slope without tokens', (t) => {
  const { host, port, cacheTtlMs, upstreamUrl, cookieName, users } = options(t, {});
  assert.deepEqual([host, port, cacheTtlMs], ['127.0.0.1', 8060, 120_000]);
  assert.deepEqual([upstreamUrl, cookieName], ['https://cursor.com', 'UpstreamSessionToken']);
  assert.deepEqual(
    users.map(({ id, token }) => [id, token]),
    [
      ['info', undefined],
      ['slope', undefined],
    ],
  );
});

test('assistants: named or all of them, after the listed users, without the default ones unless these have data', (t) => {
  const namesOf = (from: Parameters<typeof load>[1]) => options(t, from).users.map(({ id }) => id);
  assert.deepEqual(namesOf({ flags: { agents: true } }), ['claude', 'codex', 'gemini']);
  assert.deepEqual(namesOf({ env: { USAGE_AGENTS: 'gemini, claude' } }), ['claude', 'gemini']);
  assert.deepEqual(namesOf({ flags: { agents: 'codex', users: 'kim,codex' } }), ['kim', 'codex']);
  const env = { USAGE_SESSION_TOKEN_SLOPE: 'abc' };
  assert.deepEqual(namesOf({ flags: { agents: 'codex' }, env }), ['info', 'slope', 'codex']);
  const folder = temporaryFolder(t);
  writeFiles(folder, { 'data/usage.csv': '' });
  assert.deepEqual(namesOf({ flags: { agents: 'codex', project: folder } }), ['info', 'slope', 'codex']);
  assert.match(problems(t, { flags: { agents: 'claude,cursor' } }), /--agents: .*write some of claude,codex,gemini/);
  const twice = { flags: { agents: 'claude' }, env: { USAGE_SESSION_TOKEN_CLAUDE: 'abc' } };
  assert.match(problems(t, { ...twice, flags: { ...twice.flags, users: 'claude' } }), /claude is an assistant/);
});

test('a project’s .env does not open the private logs of assistants', (t) => {
  const outcome = load(t, { file: 'USAGE_AGENTS=claude\nUSAGE_PRICES=prices.json\n' });
  assert.ok(outcome.ok);
  assert.deepEqual(outcome.value.options.agents, []);
  assert.match(outcome.value.warnings.join(), /USAGE_AGENTS in .* is not used/);
});

test('flags override the environment, and the environment overrides .env', (t) => {
  const file = 'USAGE_WEB_PORT=1\nUSAGE_WEB_HOST=127.0.0.3\nUSAGE_EVENTS_CACHE_TTL=7\n';
  const env = { USAGE_WEB_PORT: '2', USAGE_WEB_HOST: '127.0.0.2' };
  const { port, host, cacheTtlMs } = options(t, { flags: { port: '3' }, env, file });
  assert.deepEqual([port, host, cacheTtlMs], [3, '127.0.0.2', 7000]);
});

for (const text of ['{"info":"a","slope":"b"}', 'info=a,slope=b', ' info = a , slope = b ']) {
  test(`section 4.A: USER_TOKENS may be ${text}`, (t) => {
    assert.deepEqual(tokensOf(options(t, { env: { USER_TOKENS: text } })), { info: 'a', slope: 'b' });
  });
}

test('section 4.A: a user of USER_TOKENS beside info and slope is a user', (t) => {
  assert.deepEqual(tokensOf(options(t, { env: { USER_TOKENS: 'web-team=x' } })), {
    info: undefined,
    slope: undefined,
    'web-team': 'x',
  });
});

test('the variable of a user overrides USER_TOKENS, and the environment overrides .env', (t) => {
  const file = 'USAGE_SESSION_TOKEN_INFO=file\nUSAGE_SESSION_TOKEN_WEB_TEAM="from file"x\nUSER_TOKENS=slope=list\n';
  const env = { USER_TOKENS: 'info=environment' };
  assert.deepEqual(tokensOf(options(t, { env, file })), { info: 'environment', slope: 'list' });
  const both = { USER_TOKENS: 'info=list', USAGE_SESSION_TOKEN_INFO: 'own' };
  assert.equal(tokensOf(options(t, { env: both })).info, 'own');
});

const PASTED: Readonly<Record<string, string>> = {
  'user_1%3A%3Aey.a_b-c': 'user_1%3A%3Aey.a_b-c',
  'user_1::ey.abc': 'user_1%3A%3Aey.abc',
  'UpstreamSessionToken=user_1%3A%3Aey': 'user_1%3A%3Aey',
  'Cookie: theme=dark; UpstreamSessionToken=user_1::ey; lang=en': 'user_1%3A%3Aey',
  'theme=dark; SomeSessionToken=user_2': 'user_2',
  'abc==': 'abc==',
};
for (const [pasted, token] of Object.entries(PASTED)) {
  test(`section 5: the token may be pasted as ${pasted}`, (t) => {
    assert.equal(tokensOf(options(t, { env: { USAGE_SESSION_TOKEN_INFO: pasted } })).info, token);
  });
}

for (const broken of ['secret with spaces', 'a=secret1; b=secret2', 'secret\tx', 'secret,x', 'séecret']) {
  test(`section 5: the token ${JSON.stringify(broken)} is refused without being shown`, (t) => {
    const text = problems(t, { env: { USAGE_SESSION_TOKEN_INFO: broken } });
    assert.match(text, /USAGE_SESSION_TOKEN_INFO/);
    assert.doesNotMatch(text, /secret/);
  });
}

test('a USER_TOKENS that cannot be read is refused without being shown', (t) => {
  for (const broken of ['{"info": "secret"', '{"info": 5}', 'secret']) {
    const text = problems(t, { env: { USER_TOKENS: broken } });
    assert.match(text, /USER_TOKENS/);
    assert.doesNotMatch(text, /secret/);
  }
});

test('users: names are checked, and "all" is not a user', (t) => {
  assert.deepEqual(
    options(t, { flags: { users: 'slope, ops ,slope' } }).users.map(({ id }) => id),
    ['slope', 'ops'],
  );
  assert.match(problems(t, { flags: { users: 'all' } }), /means every user/);
  assert.match(problems(t, { flags: { users: 'A' } }), /small letters/);
  assert.match(problems(t, { flags: { users: ' , ' } }), /at least one/);
  assert.match(problems(t, { flags: { users: 'a-b,a_b' } }), /share a variable/);
});

test('an address that others can reach needs --allow-remote', (t) => {
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.org'])
    assert.match(problems(t, { flags: { host } }), /--allow-remote/);
  assert.equal(options(t, { flags: { host: '0.0.0.0', allowRemote: true } }).host, '0.0.0.0');
  for (const host of ['localhost', '127.0.0.2', '::1']) assert.equal(options(t, { flags: { host } }).host, host);
});

test('all faults are reported at once, each by its name', (t) => {
  const env = {
    USAGE_EVENTS_CACHE_TTL: '-1',
    USAGE_UPSTREAM_URL: 'https://me:secret@x.org',
    USAGE_SESSION_COOKIE: 'a b',
  };
  const text = problems(t, { flags: { port: '70000' }, env });
  for (const name of [/--port/, /USAGE_EVENTS_CACHE_TTL/, /USAGE_UPSTREAM_URL/, /USAGE_SESSION_COOKIE/])
    assert.match(text, name);
  assert.doesNotMatch(text, /secret/);
});

test('an invalid line of .env gives a warning with its number, and so does a token without encryption', (t) => {
  const bad = load(t, { file: 'A=1\nsecret line\n' });
  assert.ok(bad.ok && /line 2/.test(bad.value.warnings.join()) && !/secret/.test(bad.value.warnings.join()));
  const plain = load(t, { env: { USER_TOKENS: 'info=x' }, flags: { upstreamUrl: 'http://usage.example.org' } });
  assert.ok(plain.ok && /unencrypted/.test(plain.value.warnings.join()));
});

const OWN_TOKEN = { USAGE_SESSION_TOKEN_INFO: 'secret-of-the-operator' };
const REDIRECTIONS: Readonly<Record<string, string>> = {
  USAGE_UPSTREAM_URL: 'https://evil.example',
  USAGE_SESSION_COOKIE: 'EvilToken',
  USAGE_WEB_ALLOWED_HOSTS: 'evil.example',
};
for (const [name, value] of Object.entries(REDIRECTIONS)) {
  test(`a folder whose .env has ${name} gets no token of the environment`, (t) => {
    const file = `${name}=${value}\n`;
    const environments = [OWN_TOKEN, { USER_TOKENS: 'slope=secret-of-the-operator' }];
    for (const env of environments) {
      const text = problems(t, { env, file });
      assert.match(text, new RegExp(`${name}`));
      assert.match(text, new RegExp(`${Object.keys(env)[0]}`));
      assert.match(text, /\.env/);
      assert.doesNotMatch(text, /secret-of/);
    }
    // One token of the file does not bring the others along.
    assert.match(problems(t, { env: OWN_TOKEN, file: `${file}USAGE_SESSION_TOKEN_SLOPE=of-the-file\n` }), /TOKEN_INFO/);
  });

  test(`${name} of the .env goes with tokens of that file, and that of the environment with any`, (t) => {
    const file = 'USAGE_SESSION_TOKEN_INFO=of-the-file\n';
    assert.equal(tokensOf(options(t, { file: `${file}${name}=${value}\n` })).info, 'of-the-file');
    assert.equal(tokensOf(options(t, { file, env: { [name]: value } })).info, 'of-the-file');
    options(t, { env: { ...OWN_TOKEN, [name]: value } });
    // A value that the environment has too is the operator's.
    options(t, { env: { ...OWN_TOKEN, [name]: value }, file: `${name}=else.example\n` });
    options(t, { file: `${name}=${value}\n` });
  });
}

test('an upstream of the command line overrides that of the .env, with tokens from any source', (t) => {
  const flags = { upstreamUrl: 'https://usage.example.org' };
  const { upstreamUrl } = options(t, { flags, env: OWN_TOKEN, file: 'USAGE_UPSTREAM_URL=https://evil.example\n' });
  assert.equal(upstreamUrl, 'https://usage.example.org');
});

test('settings of the .env that send nothing anywhere go with tokens of the environment', (t) => {
  const file =
    'USAGE_USERS=info\nUSAGE_EMAIL_INFO=a@example.org\nUSAGE_WEB_PORT=1\nHTTPS_PROXY=http://evil.example\nUSAGE_UPSTREAM_URL=\n';
  assert.equal(options(t, { env: OWN_TOKEN, file }).upstreamUrl, 'https://cursor.com');
});

test('a .env that is a pipe is refused at once', (t) => {
  const project = temporaryFolder(t);
  execFileSync('mkfifo', [join(project, '.env')]);
  const outcome = loadConfig({ project }, {});
  assert.ok(!outcome.ok && /\.env.*pipe/.test(outcome.problems.join()));
});
