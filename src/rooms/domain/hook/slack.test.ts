import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../message/message.ts';
import { flattenSlack } from './slack.ts';

const CASES: readonly (readonly [string, JsonValue, string])[] = [
  ['its text', { text: 'deploy done' }, 'deploy done'],
  [
    'links',
    { text: 'see <https://example.com/a|the log> and <https://example.com>' },
    'see [the log](https://example.com/a) and https://example.com',
  ],
  ['bold and struck', { text: '*up* and ~down~, 2*3*4' }, '**up** and ~~down~~, 2*3*4'],
  ['escapes', { text: 'a &lt;b&gt; &amp;&amp; c' }, 'a <b> && c'],
  ['code is left alone', { text: '`*x* <a|b>` and *y*' }, '`*x* <a|b>` and **y**'],
  ['broadcasts', { text: '<!here> <!channel|channel> <@U123|ana> <#C1|ops>' }, '@here @channel ana ops'],
  [
    'blocks before the text, which repeats them',
    { text: 'short', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'long' } }] },
    'long',
  ],
  ['the text where blocks say nothing', { text: 'short', blocks: [{ type: 'divider2' }] }, 'short'],
  ['a header', { blocks: [{ type: 'header', text: { type: 'plain_text', text: 'Deploy *x*' } }] }, '**Deploy *x***'],
  [
    'fields of a section',
    {
      blocks: [
        {
          type: 'section',
          fields: [
            { type: 'mrkdwn', text: '*env*' },
            { type: 'plain_text', text: 'prod' },
          ],
        },
      ],
    },
    '**env**\nprod',
  ],
  [
    'buttons as links',
    {
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', url: 'https://example.com', text: { type: 'plain_text', text: 'Open' } }],
        },
      ],
    },
    '[Open](https://example.com)',
  ],
  [
    'rich text',
    {
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'hi ', style: { bold: true } },
                { type: 'link', url: 'https://example.com', text: 'x' },
              ],
            },
            {
              type: 'rich_text_list',
              style: 'ordered',
              elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }],
            },
            { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'code' }] },
            { type: 'rich_text_quote', elements: [{ type: 'text', text: 'a\nb' }] },
          ],
        },
      ],
    },
    '**hi **[x](https://example.com)\n1. one\n```\ncode\n```\n> a\n> b',
  ],
  [
    'attachments below the text',
    {
      text: 'Build',
      attachments: [
        {
          color: 'good',
          title: 'main',
          title_link: 'https://example.com/1',
          text: 'passed',
          fields: [{ title: 'took', value: '3m', short: true }],
          footer: 'ci',
        },
      ],
    },
    'Build\n\n**[main](https://example.com/1)**\npassed\n**took**: 3m\nci',
  ],
  [
    'the fallback of an attachment without words',
    { attachments: [{ fallback: 'plain words', color: 'bad' }] },
    'plain words',
  ],
  ['nothing', {}, ''],
  ['what is no object', [1, 2], ''],
  ['wrong types', { text: 5, blocks: 'x', attachments: [null, 3, { fields: [1] }] }, ''],
];

for (const [name, payload, expected] of CASES) {
  test(`a Slack payload becomes Markdown: ${name}`, () => assert.equal(flattenSlack(payload), expected));
}
