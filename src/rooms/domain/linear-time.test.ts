// Posted text is parsed on the one thread that serves all requests.
import { test } from 'node:test';
import { HANG_MS } from '../../testing/eventually.ts';
import { assertLinear } from '../../testing/linear-time.ts';
import { readCommand } from '../commands/list.ts';
import { readMatcher } from './command/matcher.ts';
import { flattenSlack, isSlackPayload } from './hook/slack.ts';
import { readIncomingPost } from './message/incoming-post.ts';
import { findMentions } from './message/mention.ts';
import { redactSecrets } from './message/redaction.ts';

const AUDIENCE = { isUser: (id: string) => id.length % 2 === 0, copilot: 'copilot' };

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'mentions in Markdown': (text) => findMentions(text, 'markdown', AUDIENCE),
  '/silence': (text) => readCommand(`/silence 2h ${text}`, 0),
  'the comment of /silence': (text) => readCommand(`/silence 2h a=b -- ${text}`, 0),
  '/alerts': (text) => readCommand(`/alerts ${text}`, 0),
  'a command that there is not': (text) => readCommand(`/${text.replace(/[^a-z]/g, 'a')}`, 0),
  'a matcher': (text) => readMatcher(`a="${text}`),
  'a Slack message': (text) => flattenSlack({ text }),
  'whether a text is from Slack': (text) => isSlackPayload({ text }),
  'a text of a hook': (text) => readIncomingPost({ form: 'text', text: `a${text}a` }, 'text'),
  'secrets in a prompt': (text) => redactSecrets(text),
};

const pieces = [
  'a',
  ' ',
  '\n',
  '"',
  '\\"',
  '`',
  '<',
  '<a|',
  '<!',
  ' *a',
  '@a.',
  '--',
  ' -- ',
  '{',
  'a="b",',
  'Bearer ',
  'eyJ',
];

for (const [what, read] of Object.entries(readers)) {
  test(`${what}: the time grows no faster than the text`, { timeout: HANG_MS }, () => {
    for (const piece of pieces)
      for (const end of ['', 'x', '"', '>', '\n'])
        assertLinear(
          `${what}: ${JSON.stringify(piece)} …${JSON.stringify(end)}`,
          (length) => piece.repeat(length / piece.length) + end,
          read,
        );
  });
}
