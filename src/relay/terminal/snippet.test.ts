import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCAL_ENVIRONMENT } from '../config/relay-defaults.ts';
import { printSnippet } from './snippet.ts';

test('the snippet has the URL and every key, and for the sample how to serve other flags', () => {
  const url = 'http://127.0.0.1:8030';
  const sample = printSnippet(url, LOCAL_ENVIRONMENT, true);
  for (const part of [
    `const url = '${url}';`,
    `init('sdk-local', { baseUri: url, streamUri: url, eventsUri: url })`,
    `initialize('local', { kind: 'user', key: 'ada' }, { baseUrl: url, streamUrl: url, eventsUrl: url })`,
    `headers: [['Authorization', 'Bearer sdk-local']]`,
    'mob-local',
    `curl -H 'Authorization: sdk-local' ${url}/sdk/evalx/contexts/eyJraW5kIjoidXNlciIsImtleSI6ImFkYSJ9`,
    'opsdeck relay serve --flags flags.yml',
  ]) {
    assert.ok(sample.includes(part), part);
  }
  assert.doesNotMatch(printSnippet(url, LOCAL_ENVIRONMENT, false), /sample/);
});
