import { testIntegration } from '../testing/integration-contract.ts';
import { msteamsIntegration } from './msteams.ts';

testIntegration(msteamsIntegration, {
  yaml: '{webhook_url: URL/s3cr3t}',
  documented: [
    {
      name: 'a message card of Microsoft Teams',
      source: 'https://learn.microsoft.com/en-us/outlook/actionable-messages/message-card-reference',
      yaml: '{webhook_url: URL/webhookb2/x, title: Down, summary: One is down, text: It is down}',
      answer: { body: '1' },
      request: 'POST /webhookb2/x',
      body: {
        '@context': 'http://schema.org/extensions',
        type: 'MessageCard',
        title: 'Down',
        summary: 'One is down',
        text: 'It is down',
        themeColor: '8C1A1A',
      },
    },
  ],
});
