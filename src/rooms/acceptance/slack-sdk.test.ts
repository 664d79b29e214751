import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProcess } from '../../testing/processes.ts';
import { openListeningRooms } from '../testing/listening.ts';

/** Sends each payload of its input, as keyword arguments or, where `send` does not know them, as a whole. */
const SENDER = `
import json, sys
from slack_sdk.webhook import WebhookClient

client = WebhookClient(sys.argv[1])
answers = []
for how, payload in json.load(sys.stdin):
    answer = client.send(**payload) if how == "send" else client.send_dict(payload)
    answers.append([answer.status_code, answer.body])
print(json.dumps(answers))
`;

const SECTION = { type: 'section', text: { type: 'mrkdwn', text: '*deployed* <https://ci.example/7|#7>' } };

/** How it is sent, the payload, and what the room then shows. */
const PAYLOADS: readonly (readonly ['send' | 'send_dict', object, string])[] = [
  ['send', { text: 'build *green* on <https://ci.example/7|#7>' }, 'build **green** on [#7](https://ci.example/7)'],
  ['send', { text: 'plain words' }, 'plain words'],
  ['send', { text: 'its summary', blocks: [SECTION] }, '**deployed** [#7](https://ci.example/7)'],
  [
    'send',
    {
      attachments: [{ color: 'danger', title: 'DiskFull', text: '*db-1*', fields: [{ title: 'Free', value: '2 %' }] }],
    },
    '**DiskFull**\n**db-1**\n**Free**: 2 %',
  ],
  ['send', { text: 'see https://ci.example', unfurl_links: false, unfurl_media: false }, 'see https://ci.example'],
  ['send', { text: 'for all', response_type: 'in_channel' }, 'for all'],
  ['send_dict', { text: 'as a bot', username: 'bot', channel: '#ops', icon_emoji: ':robot:' }, 'as a bot'],
];

/** Debian has no package of it, so the test runs only where it is. */
async function hasSlackSdk(): Promise<boolean> {
  const imported = await runProcess('python3', ['-c', 'import slack_sdk']).catch(() => undefined);
  return imported?.code === 0;
}

test('slack_sdk is answered as by Slack on a hook of kind auto, and its messages are shown', async (t) => {
  if (!(await hasSlackSdk())) return t.skip('slack_sdk is not installed: python3 -m pip install slack_sdk');
  const rooms = await openListeningRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'incoming', roomId: 'ops', name: 'CI' };
  const { path } = (await rooms.send('POST', '/api/hook', { as: 'ana', body })).json;
  const input = JSON.stringify(PAYLOADS.map(([how, payload]) => [how, payload]));
  const sent = await runProcess('python3', ['-c', SENDER, `${rooms.url}${path}`], { input });
  assert.equal(sent.code, 0, sent.stderr);
  assert.deepEqual(
    JSON.parse(sent.stdout),
    PAYLOADS.map(() => [200, 'ok']),
  );
  const { messages } = (await rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json;
  assert.deepEqual(
    messages.map((message: { body: string }) => message.body),
    PAYLOADS.map(([, , shown]) => shown),
  );
});
