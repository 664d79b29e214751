import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { Conditions } from '../conditions.ts';
import { createLog } from '../log.ts';
import { reportWrites } from './write-report.ts';

test('failing writes are a condition until they succeed, each with its newest reason', () => {
  const conditions = new Conditions();
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.replace(/^\S+ /, ''));
  const log = createLog({ level: 'info', format: 'logfmt', clock: new FakeClock(), write });
  const notes = reportWrites({ what: 'notes', meanwhile: 'they are kept in memory', log, conditions });
  const marks = reportWrites({ what: 'marks', meanwhile: 'they are lost', log, conditions });
  notes.failed(new Error('disk full'));
  marks.failed(new Error('disk full'));
  notes.failed(new Error('disk broken'));
  const textsOf = () => conditions.list().map(({ text }) => text);
  assert.deepEqual(textsOf(), [
    'notes cannot be written to disk: disk broken; they are kept in memory',
    'marks cannot be written to disk: disk full; they are lost',
  ]);
  notes.recovered();
  assert.deepEqual(textsOf(), ['marks cannot be written to disk: disk full; they are lost']);
  marks.recovered();
  assert.deepEqual(conditions.list(), []);
  assert.deepEqual(lines, [
    'level=ERROR msg="notes could not be written to disk; trying again" err="disk full"\n',
    'level=ERROR msg="marks could not be written to disk; trying again" err="disk full"\n',
    'level=ERROR msg="notes could not be written to disk; trying again" err="disk broken"\n',
    'level=INFO msg="notes are written to disk again"\n',
    'level=INFO msg="marks are written to disk again"\n',
  ]);
});
