import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { expireSilence } from '../domain/silence.ts';
import { matcherOf, START, silenceOf } from '../testing/parts.ts';
import { logSilenceChanges } from './log.ts';

test('a line is logged for a silence that is created, updated or ended, and none for one that is deleted after its retention', () => {
  const clock = new FakeClock(START);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', clock, write: (line) => lines.push(line) });
  const listener = logSilenceChanges(log, () => clock.now());
  const silence = silenceOf({ matchers: [matcherOf('a', '=', 'b'), matcherOf('c', '!~', 'd"')] });
  const ended = expireSilence(silence, START);
  listener([{ before: undefined, after: silence }]);
  listener([{ before: silence, after: { ...silence, comment: 'changed' } }]);
  listener([
    { before: silence, after: ended },
    { before: undefined, after: { ...silence, id: 'successor' } },
  ]);
  listener([{ before: ended, after: undefined }]);
  const read = lines.map((line) => JSON.parse(line) as Record<string, string>);
  assert.deepEqual(
    read.map(({ level, msg, id }) => [level, msg, id]),
    [
      ['INFO', 'silence created', silence.id],
      ['INFO', 'silence updated', silence.id],
      ['INFO', 'silence expired', silence.id],
      ['INFO', 'silence created', 'successor'],
    ],
  );
  const [first] = read;
  assert.deepEqual(
    [first?.matchers, first?.createdBy, first?.startsAt, first?.endsAt],
    ['{a="b",c!~"d\\""}', 'ann', '2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z'],
  );
});
