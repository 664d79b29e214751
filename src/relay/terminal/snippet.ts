import type { EnvironmentOptions } from '../config/relay-options.ts';

/** Code to connect SDKs to an environment of flag files. */
export function printSnippet(
  url: string,
  { sdkKey, mobileKey = '', envId = '' }: Pick<EnvironmentOptions, 'sdkKey' | 'mobileKey' | 'envId'>,
  isSample: boolean,
): string {
  const context = { kind: 'user', key: 'ada' };
  const encoded = Buffer.from(JSON.stringify(context)).toString('base64url');
  return `Serving ${isSample ? 'a sample of flags' : 'flags'} at ${url}

  SDK key      ${sdkKey}
  mobile key   ${mobileKey}
  client id    ${envId}

Node.js, with @launchdarkly/node-server-sdk:
  const url = '${url}';
  const client = init('${sdkKey}', { baseUri: url, streamUri: url, eventsUri: url });

Browser, with launchdarkly-js-client-sdk:
  const url = '${url}';
  const client = initialize('${envId}', { kind: 'user', key: 'ada' }, { baseUrl: url, streamUrl: url, eventsUrl: url });

OpenFeature, with @openfeature/ofrep-provider:
  await OpenFeature.setProviderAndWait(new OFREPProvider({
    baseUrl: '${url}', headers: [['Authorization', 'Bearer ${sdkKey}']],
  }));

Terminal:
  curl -H 'Authorization: ${sdkKey}' ${url}/sdk/evalx/contexts/${encoded}
  curl -H 'Authorization: Bearer ${sdkKey}' -H 'Content-Type: application/json' \\
    -d '{"context": {"targetingKey": "ada"}}' ${url}/ofrep/v1/evaluate/flags
${isSample ? `\nFlags of your own:\n  opsdeck relay sample > flags.yml\n  opsdeck relay serve --flags flags.yml\n` : ''}
`;
}
