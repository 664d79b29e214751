import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from '../../kernel/errors.ts';
import { KEYS } from '../testing/config.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import type { RelayOptions } from './relay-options.ts';
import { reloadConfig } from './reload.ts';

async function reload(file: string, refusal?: Error) {
  const log = new RecordingLog();
  const taken: RelayOptions[] = [];
  const relay = {
    async reload(options: RelayOptions) {
      if (refusal) throw refusal;
      taken.push(options);
    },
  };
  const files = { exists: () => true, read: () => file, localKeys: () => KEYS };
  await reloadConfig({ config: 'relay.conf' }, {}, relay, log, files);
  return { taken, lines: log.lines.map(({ level, message, fields }) => [level, message, fields]) };
}

const REFUSED = 'The configuration cannot be reloaded, the previous one stays in use';

test('a configuration is read again and handed to the relay', async () => {
  const { taken, lines } = await reload('[Environment "N"]\nsdkKey = s');
  assert.deepEqual(
    taken.map(({ environments }) => environments.map(({ name }) => name)),
    [['N']],
  );
  assert.deepEqual(lines, [['info', 'The configuration has been reloaded', {}]]);
});

test('of a broken one all problems are reported, and the relay keeps the previous one', async () => {
  const { taken, lines } = await reload('[Main]\nprot = 1\n[Environment "N"]');
  assert.deepEqual(taken, []);
  assert.deepEqual(lines, [
    ['error', REFUSED, { error: 'relay.conf:2: [Main] has no key prot; is it port?' }],
    ['error', REFUSED, { error: 'Environment "N": it has no SDK key; set sdkKey, or the variable LD_ENV_N' }],
  ]);
});

test('a file that the relay cannot use is reported', async () => {
  const { lines } = await reload('', new CommandError('cannot read cert: ENOENT', 2));
  assert.deepEqual(lines.at(-1), ['error', REFUSED, { error: 'cannot read cert: ENOENT' }]);
});
