import { testIntegration } from '../testing/integration-contract.ts';
import { GROUP_HASH } from '../testing/notifier-parts.ts';
import { opsgenieIntegration } from './opsgenie.ts';

testIntegration(opsgenieIntegration, {
  yaml: '{api_key: s3cr3t, api_url: URL}',
  isRetried: (status) => status === 429 || status >= 500,
  documented: [
    {
      name: 'an alert of Opsgenie',
      source: 'https://docs.opsgenie.com/docs/alert-api#create-alert',
      yaml: `{api_key: k0, api_url: URL, message: Down, description: It is down, source: ops, entity: shop, note: n, priority: P1,
        tags: 'a,b', actions: 'Restart,Ping', details: {zone: eu}, responders: [{name: web, type: team}, {username: a@example.org, type: user}]}`,
      answer: { status: 202, body: '{"result":"Request will be processed"}' },
      request: 'POST /v2/alerts',
      headers: { authorization: 'GenieKey k0' },
      body: {
        alias: GROUP_HASH,
        message: 'Down',
        description: 'It is down',
        details: { alertname: 'Down', zone: 'eu' },
        source: 'ops',
        responders: [
          { name: 'web', type: 'team' },
          { username: 'a@example.org', type: 'user' },
        ],
        tags: ['a', 'b'],
        note: 'n',
        priority: 'P1',
        entity: 'shop',
        actions: ['Restart', 'Ping'],
      },
    },
    {
      name: 'the close of an alert of Opsgenie',
      source: 'https://docs.opsgenie.com/docs/alert-api#close-alert',
      yaml: '{api_key: k0, api_url: URL, source: ops}',
      resolved: true,
      answer: { status: 202 },
      request: `POST /v2/alerts/${GROUP_HASH}/close?identifierType=alias`,
      headers: { authorization: 'GenieKey k0' },
      body: { source: 'ops' },
    },
  ],
});
