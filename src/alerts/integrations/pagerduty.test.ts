import { testIntegration } from '../testing/integration-contract.ts';
import { GROUP_HASH } from '../testing/notifier-parts.ts';
import { createPagerduty, pagerdutyIntegration } from './pagerduty.ts';

const details = '{firing: 1 alert, resolved: none, num_firing: one, num_resolved: zero}';
const renderedDetails = { firing: '1 alert', num_firing: 'one', num_resolved: 'zero', resolved: 'none' };

testIntegration(pagerdutyIntegration, {
  name: 'pagerduty v2',
  yaml: `{routing_key: s3cr3t, url: URL, details: ${details}}`,
  isRetried: (status) => status === 429 || status >= 500,
  documented: [
    {
      name: 'a trigger event of PagerDuty, second version',
      source: 'https://developer.pagerduty.com/docs/send-alert-event',
      yaml: `{routing_key: r0, url: URL/v2/enqueue, description: Down, client: Ops, client_url: http://c, severity: critical, source: host,
        component: web, group: shop, class: ping, details: ${details}, images: [{src: http://i, href: http://h, alt: a}],
        links: [{href: http://l, text: Runbook}]}`,
      answer: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"x"}' },
      request: 'POST /v2/enqueue',
      body: {
        routing_key: 'r0',
        dedup_key: GROUP_HASH,
        event_action: 'trigger',
        payload: {
          summary: 'Down',
          source: 'host',
          severity: 'critical',
          class: 'ping',
          component: 'web',
          group: 'shop',
          custom_details: renderedDetails,
        },
        client: 'Ops',
        client_url: 'http://c',
        images: [{ src: 'http://i', alt: 'a', href: 'http://h' }],
        links: [{ href: 'http://l', text: 'Runbook' }],
      },
    },
  ],
});

testIntegration(pagerdutyIntegration, {
  name: 'pagerduty v1',
  yaml: `{service_key: s3cr3t, details: ${details}}`,
  isRetried: (status) => status === 403 || status >= 500,
  create: (config, context, url) => createPagerduty(config, context, `${url}/create_event.json`),
  documented: [
    {
      name: 'a resolve event of PagerDuty, first version',
      source: 'https://developer.pagerduty.com/docs/events-api-v1-overview',
      yaml: `{service_key: s0, description: Down, details: ${details}}`,
      resolved: true,
      answer: { body: '{"status":"success","incident_key":"x"}' },
      request: 'POST /create_event.json',
      body: {
        service_key: 's0',
        incident_key: GROUP_HASH,
        event_type: 'resolve',
        description: 'Down',
        event_action: '',
        payload: null,
        details: renderedDetails,
      },
    },
  ],
});
