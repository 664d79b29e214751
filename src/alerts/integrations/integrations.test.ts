import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INTEGRATIONS } from './integrations.ts';

/** Alertmanager's, in the order of a receiver's run. */
const UPSTREAM =
  'webhook email pagerduty opsgenie wechat slack victorops pushover sns telegram discord webex msteams msteamsv2 jira ' +
  'incidentio rocketchat mattermost';

test('Alertmanager’s integrations come first, in its order', () => {
  const names = INTEGRATIONS.map(({ name }) => name);
  assert.equal(names.slice(0, UPSTREAM.split(' ').length).join(' '), UPSTREAM);
  assert.equal(new Set(names).size, names.length);
});

for (const { name, key } of INTEGRATIONS) {
  test(`${name} has the key ${name}_configs`, () => assert.equal(key, `${name}_configs`));

  test(`${name} has a test file beside it, which calls testIntegration`, () => {
    const folder = 'src/alerts/integrations';
    const file = [`${folder}/${name}.test.ts`, `${folder}/${name}/${name}.test.ts`].find((path) => existsSync(path));
    assert.ok(file, `${folder}/${name}.test.ts is missing`);
    assert.match(readFileSync(file, 'utf8'), /^testIntegration\(/m, `${file} does not call testIntegration`);
  });
}
