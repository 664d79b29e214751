import { testIntegration } from '../testing/integration-contract.ts';
import { discordIntegration } from './discord.ts';

testIntegration(discordIntegration, {
  yaml: '{webhook_url: URL/s3cr3t}',
  documented: [
    {
      name: 'an embed of Discord',
      source: 'https://discord.com/developers/docs/resources/webhook#execute-webhook',
      yaml: '{webhook_url: URL/api/webhooks/1/x, content: Look, title: Down, message: It is down, username: ops, avatar_url: http://a}',
      answer: { status: 204 },
      request: 'POST /api/webhooks/1/x',
      body: {
        content: 'Look',
        embeds: [{ title: 'Down', description: 'It is down', color: 10_038_562 }],
        username: 'ops',
        avatar_url: 'http://a',
      },
    },
  ],
});
