/** Code that connects a kind of SDK. */
export interface SdkExample {
  readonly title: string;
  readonly code: string;
}

export interface ExampleKeys {
  readonly sdkKey: string;
  readonly envId: string;
}

/** Code to connect SDKs to an environment of the relay at `url`. */
export function sdkExamples(url: string, { sdkKey, envId }: ExampleKeys): readonly SdkExample[] {
  const context = Buffer.from(JSON.stringify({ kind: 'user', key: 'ada' })).toString('base64url');
  return [
    {
      title: 'Node.js, with @launchdarkly/node-server-sdk',
      code: `const url = '${url}';
const client = init('${sdkKey}', { baseUri: url, streamUri: url, eventsUri: url });`,
    },
    {
      title: 'Browser, with launchdarkly-js-client-sdk',
      code: `const url = '${url}';
const client = initialize('${envId}', { kind: 'user', key: 'ada' }, { baseUrl: url, streamUrl: url, eventsUrl: url });`,
    },
    {
      title: 'OpenFeature, with @openfeature/ofrep-provider',
      code: `await OpenFeature.setProviderAndWait(new OFREPProvider({
  baseUrl: '${url}', headers: [['Authorization', 'Bearer ${sdkKey}']],
}));`,
    },
    {
      title: 'Terminal',
      code: `curl -H 'Authorization: ${sdkKey}' ${url}/sdk/evalx/contexts/${context}
curl -H 'Authorization: Bearer ${sdkKey}' -H 'Content-Type: application/json' \\
  -d '{"context": {"targetingKey": "ada"}}' ${url}/ofrep/v1/evaluate/flags`,
    },
  ];
}
