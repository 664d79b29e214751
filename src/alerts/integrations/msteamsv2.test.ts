import { testIntegration } from '../testing/integration-contract.ts';
import { msteamsv2Integration } from './msteamsv2.ts';

testIntegration(msteamsv2Integration, {
  yaml: '{webhook_url: URL/s3cr3t}',
  inheritsProxy: true,
  documented: [
    {
      name: 'an adaptive card of Microsoft Teams',
      source: 'https://learn.microsoft.com/en-us/connectors/teams/#request-body-schema',
      yaml: '{webhook_url: URL/workflows/x, title: Down, text: It was down}',
      resolved: true,
      answer: { status: 202 },
      request: 'POST /workflows/x',
      body: {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.2',
              body: [
                {
                  type: 'TextBlock',
                  text: 'Down',
                  weight: 'Bolder',
                  size: 'Medium',
                  wrap: true,
                  style: 'heading',
                  color: 'Good',
                },
                { type: 'TextBlock', text: 'It was down', wrap: true },
              ],
              msteams: { width: 'full' },
            },
          },
        ],
      },
    },
  ],
});
