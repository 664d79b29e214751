import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recipesOf } from './recipes.ts';

const linesOf = (base: string, hasSignIn: boolean) => recipesOf('ops', base, hasSignIn).map(([, line]) => line);

test('the lines of an empty room name the server only where the command would ask another', () => {
  assert.deepEqual(linesOf('http://127.0.0.1:8065/', false), [
    'opsdeck rooms say ops "hello"',
    'make test 2>&1 | opsdeck rooms say ops --code',
    "curl -H 'Content-Type: text/plain' -d 'deploy done' http://127.0.0.1:8065/api/room/ops/message",
  ]);
  assert.equal(
    linesOf('https://chat.example.com/ops/', false)[0],
    'opsdeck rooms say ops "hello" --url https://chat.example.com/ops/',
  );
});

test('with sign-in they begin with the token, which all of them then use', () => {
  const lines = linesOf('http://127.0.0.1:8065/', true);
  assert.equal(lines.length, 4);
  assert.equal(lines[0], 'export OPSDECK_ROOMS_TOKEN=odr_…');
  assert.match(lines[3] ?? '', /^curl -H "Authorization: Bearer \$OPSDECK_ROOMS_TOKEN" /);
});
