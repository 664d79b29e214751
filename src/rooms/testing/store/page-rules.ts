// Tests of every store: pages of messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageQuery } from '../../store/store.ts';
import { newMessage, post, runStarted, write } from './parts.ts';
import type { OpenStore } from './rules.ts';

export function pageRules(open: OpenStore): void {
  /** Of 9 messages: the page of a query, and whether there is more on either side. */
  const PAGES: readonly (readonly [Omit<PageQuery, 'roomId'>, readonly number[], boolean, boolean])[] = [
    [{ limit: 3 }, [7, 8, 9], true, false],
    [{ limit: 9 }, [1, 2, 3, 4, 5, 6, 7, 8, 9], false, false],
    [{ limit: 3, before: 4 }, [1, 2, 3], false, true],
    [{ limit: 2, before: 4 }, [2, 3], true, true],
    [{ limit: 2, before: 1 }, [], false, true],
    [{ limit: 2, before: 99 }, [8, 9], true, false],
    [{ limit: 2, after: 0 }, [1, 2], false, true],
    [{ limit: 2, after: 7 }, [8, 9], true, false],
    [{ limit: 2, after: 9 }, [], true, false],
    [{ limit: 2, after: 99 }, [], true, false],
    [{ limit: 3, around: 5 }, [4, 5, 6], true, true],
    [{ limit: 4, around: 5 }, [3, 4, 5, 6], true, true],
    [{ limit: 4, around: 1 }, [1, 2, 3, 4], false, true],
    [{ limit: 4, around: 9 }, [6, 7, 8, 9], true, false],
    [{ limit: 4, around: 99 }, [6, 7, 8, 9], true, false],
    [{ limit: 1, around: 5 }, [5], true, true],
    [{ limit: 5, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 5, after: 0, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 5, before: 8, afterSeq: 6 }, [7], false, true],
    [{ limit: 5, around: 2, afterSeq: 6 }, [7, 8, 9], false, false],
    [{ limit: 2, authorId: 'ben' }, [6, 9], true, false],
    [{ limit: 2, authorId: 'ben', after: 0 }, [3, 6], false, true],
    [{ limit: 5, type: 'alert' }, [2, 4], false, false],
    [{ limit: 5, type: 'command' }, [], false, false],
    [{ limit: 9, threadId: 'root' }, [5, 7, 8], false, false],
    [{ limit: 2, threadId: 'root' }, [7, 8], true, false],
    [{ limit: 2, threadId: 'root', after: 5 }, [7, 8], true, false],
    [{ limit: 2, threadId: 'unknown' }, [], false, false],
  ];

  test('a page is a stretch of the order', async (t) => {
    const { store } = await open(t);
    const parts = Array.from({ length: 9 }, (_, index) => {
      const seq = index + 1;
      return newMessage('a', {
        author: { id: seq % 3 === 0 ? 'ben' : 'ana', name: '', kind: 'human' },
        type: seq === 2 || seq === 4 ? 'alert' : 'text',
        threadId: seq > 6 && seq < 9 ? 'root' : null,
        ...(seq === 5 ? { id: 'root' } : {}),
      });
    });
    for (const draft of parts) await post(store, newMessage('before'), draft, newMessage('later'));
    for (const [query, seqs, hasBefore, hasAfter] of PAGES) {
      const page = await store.page({ roomId: 'a', ...query });
      const shown = {
        seqs: page.messages.map(({ message }) => message.seq),
        before: page.hasBefore,
        after: page.hasAfter,
      };
      assert.deepEqual(shown, { seqs, before: hasBefore, after: hasAfter }, JSON.stringify(query));
      for (const { message } of page.messages) assert.equal(message.roomId, 'a');
    }
  });

  test('the messages that concern a user: mentions, and the threads in which the user has written', async (t) => {
    const { store } = await open(t);
    const by = (id: string) => ({ id, name: '', kind: 'human' }) as const;
    const mention = (users: readonly string[], room = false) => ({ mentions: { users, room, copilot: false } });
    await post(store, newMessage('other', { author: by('ben'), id: 'elsewhere' }));
    await post(
      store,
      newMessage('a', { author: by('ben'), id: 'begun' }),
      newMessage('a', { id: 'answered' }),
      newMessage('a', { id: 'foreign' }),
      newMessage('a', { threadId: 'begun' }),
      newMessage('a', { threadId: 'foreign' }),
      newMessage('a', { threadId: 'answered', author: by('ben') }),
      newMessage('a', { threadId: 'answered' }),
      newMessage('a', mention(['ben', 'kim'])),
      newMessage('a', mention(['kim'])),
      newMessage('a', mention([], true)),
      newMessage('a', { threadId: 'elsewhere' }),
    );
    const seqsOf = async (query: Omit<PageQuery, 'roomId' | 'limit'>) =>
      (await store.page({ roomId: 'a', limit: 9, ...query })).messages.map(({ message }) => message.seq);
    assert.deepEqual(await seqsOf({ concerns: 'ben' }), [4, 6, 7, 8, 10]);
    assert.deepEqual(await seqsOf({ concerns: 'ben', before: 8 }), [4, 6, 7]);
    assert.deepEqual(await seqsOf({ concerns: 'ben', afterSeq: 6 }), [8, 10], 'a hidden message begins no thread');
    assert.deepEqual(await seqsOf({ concerns: 'kim' }), [8, 9, 10]);
    assert.deepEqual(await seqsOf({ concerns: 'nobody' }), [10]);
  });

  test('a room without messages has an empty page', async (t) => {
    const { store } = await open(t);
    await store.append([write(runStarted('empty'))]);
    for (const roomId of ['empty', 'unknown']) {
      assert.deepEqual(await store.page({ roomId, limit: 5 }), { messages: [], hasBefore: false, hasAfter: false });
    }
  });
}
