import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../message/message.ts';
import { flattenSlack, isSlackPayload } from './slack.ts';

const CASES: readonly (readonly [string, JsonValue, string])[] = [
  ['its text', { text: 'deploy done' }, 'deploy done'],
  [
    'links',
    { text: 'see <https://example.com/a|the log> and <https://example.com>' },
    'see [the log](https://example.com/a) and https://example.com',
  ],
  ['bold and struck', { text: '*up* and ~down~, 2*3*4' }, '**up** and ~~down~~, 2*3*4'],
  [
    'bold with a trailing blank',
    { text: '*up * and ~down ~ now, *.ts and *.js' },
    '**up**  and ~~down~~  now, *.ts and *.js',
  ],
  [
    'links without a scheme',
    { text: '<example.com|the site> <www.example.com/a?b> </path|here> Map<string>' },
    '[the site](http://example.com) http://www.example.com/a?b here (/path) Map<string>',
  ],
  ['an address with brackets', { text: '<https://example.com/a_(b)|c>' }, '[c](https://example.com/a_%28b%29)'],
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
    '**hi** [x](https://example.com)\n1. one\n```\ncode\n```\n> a\n> b',
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

const KINDS: readonly (readonly [JsonObject, boolean])[] = [
  [{ text: 'x', username: 'bot', channel: '#o' }, true],
  [{ text: 'x', unfurl_links: false }, true],
  [{ text: 'x', response_type: 'in_channel' }, true],
  [{ blocks: [] }, true],
  [{ text: '<https://example.com|a link>' }, true],
  [{ text: '<!here> down' }, true],
  [{ text: '<@U012AB3CD> look' }, true],
  [{ text: '**done**, <https://example.com>, Map<a|b>' }, false],
  [{ text: '<https://example.com|a link>', threadId: 'x' }, false],
  [{ body: 'x' }, false],
];
for (const [payload, expected] of KINDS)
  test(`${JSON.stringify(payload)} is ${expected ? '' : 'not '}Slack's`, () =>
    assert.equal(isSlackPayload(payload), expected));
