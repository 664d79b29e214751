import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMoment } from './moment.ts';

const NOW = Date.parse('2030-01-02T08:30:00Z');

const READ: readonly (readonly [text: string, at: string, words: number])[] = [
  ['30m rest', '2030-01-02T09:00:00.000Z', 1],
  ['in 1d12h', '2030-01-03T20:30:00.000Z', 2],
  ['until 09:00', '2030-01-02T09:00:00.000Z', 2],
  ['at 8:00', '2030-01-03T08:00:00.000Z', 2],
  ['at 6pm x', '2030-01-02T18:00:00.000Z', 2],
  ['at 12:15am', '2030-01-03T00:15:00.000Z', 2],
  ['tomorrow 8am', '2030-01-03T08:00:00.000Z', 2],
  ['until tomorrow 08:00', '2030-01-03T08:00:00.000Z', 3],
  ['until 2030-01-02T12:00+02:00', '2030-01-02T10:00:00.000Z', 2],
];
for (const [text, at, words] of READ)
  test(`${text} is ${at}`, () => assert.deepEqual(readMoment(text.split(' '), NOW), { at: Date.parse(at), words }));

for (const text of ['', 'x', 'at', 'at 25:00', 'at 13pm', 'at 0am', 'at 9', '9:00', 'tomorrow', 'at 2030-02-30T99:00Z'])
  test(`"${text}" is no time`, () => assert.equal(readMoment(text.split(' '), NOW), undefined));

for (const text of ['0m', '400d', 'until 2030-01-02T08:00Z'])
  test(`${text} does not lie ahead within a year`, () => assert.equal(readMoment(text.split(' '), NOW), 'past'));
