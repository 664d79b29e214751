import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Silence, SilenceState } from '../../../../src/alerts/contract/wire.ts';
import { createMatcher } from '../../parts/matcher-text.ts';
import type { SilenceDraft } from './draft.ts';
import {
  draftOfSilence,
  findProblems,
  postableOf,
  replacesSilence,
  resolveSpan,
  withDuration,
  withEnd,
  withStart,
} from './draft.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;

const draft: SilenceDraft = {
  matchers: [createMatcher('alertname', '=', 'X')],
  span: { end: { forMs: 2 * hour } },
  createdBy: 'mira',
  comment: 'disk swap',
};

function silence(state: SilenceState): Silence {
  return {
    id: 'abc',
    matchers: draft.matchers,
    startsAt: '2026-01-01T11:00:00.000Z',
    endsAt: '2026-01-01T14:00:00.000Z',
    updatedAt: '2026-01-01T11:00:00.000Z',
    createdBy: 'mira',
    comment: 'disk swap',
    annotations: { ticket: 'OPS-1' },
    status: { state },
  };
}

test('a silence without a start begins when it is saved', () => {
  assert.deepEqual(resolveSpan(draft.span, now), { startAt: now, endAt: now + 2 * hour });
  assert.deepEqual(resolveSpan(draft.span, now + hour), { startAt: now + hour, endAt: now + 3 * hour });
});

test('moving the start keeps the duration', () => {
  const moved = withStart(withEnd(draft.span, now + 3 * hour), now + hour, now);
  assert.deepEqual(resolveSpan(moved, now), { startAt: now + hour, endAt: now + 4 * hour });
});

test('moving the end keeps the start', () => {
  const moved = withEnd(withStart(draft.span, now + hour, now), now + 2 * hour);
  assert.deepEqual(resolveSpan(moved, now), { startAt: now + hour, endAt: now + 2 * hour });
});

test('setting the duration keeps the start', () => {
  const longer = withDuration(withEnd(withStart(draft.span, now + hour, now), now + 9 * hour), 4 * hour);
  assert.deepEqual(resolveSpan(longer, now), { startAt: now + hour, endAt: now + 5 * hour });
});

const faults: readonly [what: string, change: Partial<SilenceDraft>, field: string | undefined][] = [
  ['nothing', {}, undefined],
  ['no matcher', { matchers: [createMatcher(' ', '=', '')] }, 'matchers'],
  ['a matcher without a name', { matchers: [...draft.matchers, createMatcher('', '=', 'x')] }, 'matchers'],
  ['an end before the start', { span: { startAt: now + hour, end: { at: now } } }, 'end'],
  ['no duration', { span: { end: { forMs: 0 } } }, 'end'],
  ['an end that has passed', { span: { startAt: now - 2 * hour, end: { at: now - hour } } }, 'end'],
  ['no creator', { createdBy: ' ' }, 'createdBy'],
  ['no comment', { comment: '' }, 'comment'],
];

for (const [what, change, field] of faults) {
  test(`a draft with ${what} ${field ? `is sent back to ${field}` : 'wrong may be saved'}`, () => {
    assert.deepEqual(
      findProblems({ ...draft, ...change }, now).map((problem) => problem.field),
      field ? [field] : [],
    );
  });
}

test('empty rows are not sent, and names and words are trimmed', () => {
  const matchers = [createMatcher(' a ', '=~', ' b'), createMatcher('', '=', '')];
  assert.deepEqual(postableOf({ ...draft, matchers, comment: ' x ' }, now), {
    matchers: [createMatcher('a', '=~', ' b')],
    startsAt: '2026-01-01T12:00:00.000Z',
    endsAt: '2026-01-01T14:00:00.000Z',
    createdBy: 'mira',
    comment: 'x',
  });
});

test('a draft of a running silence is that silence, annotations and all', () => {
  const { status: _, updatedAt: __, ...postable } = silence('active');
  assert.deepEqual(postableOf(draftOfSilence(silence('active')), now), postable);
});

test('a draft of an expired silence is a new one of the same length', () => {
  const again = postableOf(draftOfSilence(silence('expired')), now);
  assert.equal(again.id, undefined);
  assert.equal(again.startsAt, '2026-01-01T12:00:00.000Z');
  assert.equal(again.endsAt, '2026-01-01T15:00:00.000Z');
});

test('only other matchers, or another start of a running silence, replace it', () => {
  for (const state of ['active', 'pending'] as const) {
    const same = draftOfSilence(silence(state));
    assert.equal(replacesSilence(same, silence(state)), false);
    assert.equal(
      replacesSilence({ ...same, comment: 'x', span: withDuration(same.span, hour) }, silence(state)),
      false,
    );
    assert.equal(
      replacesSilence({ ...same, matchers: [...same.matchers, createMatcher('a', '=', 'b')] }, silence(state)),
      true,
    );
    assert.equal(
      replacesSilence({ ...same, span: withStart(same.span, now, now) }, silence(state)),
      state === 'active',
    );
  }
  assert.equal(replacesSilence(draftOfSilence(silence('expired')), silence('expired')), false);
});
