import { testIntegration } from '../../testing/integration-contract.ts';
import { slackIntegration } from './slack.ts';

testIntegration(slackIntegration, {
  yaml: '{api_url: URL/s3cr3t}',
  readsAnswer: true,
  documented: [
    {
      name: 'a message with an attachment of Slack',
      source: 'https://docs.slack.dev/reference/methods/chat.postMessage',
      yaml: `{api_url: URL/services/T0/B0/x, channel: '#ops', username: bot, icon_emoji: ':fire:', title: Down, title_link: http://t,
        text: It is down, pretext: Look, fallback: Down!, callback_id: c, footer: f, color: danger, icon_url: '',
        fields: [{title: Severity, value: high, short: true}], actions: [{type: button, text: Runbook, url: http://r}]}`,
      answer: { body: 'ok' },
      request: 'POST /services/T0/B0/x',
      body: {
        channel: '#ops',
        username: 'bot',
        icon_emoji: ':fire:',
        attachments: [
          {
            title: 'Down',
            title_link: 'http://t',
            pretext: 'Look',
            text: 'It is down',
            fallback: 'Down!',
            callback_id: 'c',
            fields: [{ title: 'Severity', value: 'high', short: true }],
            actions: [{ type: 'button', text: 'Runbook', url: 'http://r' }],
            footer: 'f',
            color: 'danger',
            mrkdwn_in: ['fallback', 'pretext', 'text'],
          },
        ],
      },
    },
  ],
});
