// Runs in a browser: a page that uses each of the client-side SDKs. Bundled by `browser.ts`.
import { createClient } from '@launchdarkly/js-client-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, type Provider } from '@openfeature/web-sdk';
import { initialize } from 'launchdarkly-js-client-sdk';

const SILENT = { error() {}, warn() {}, info() {}, debug() {} };
const SHOPPER = { kind: 'user', key: 'ada', plan: 'gold' } as const;
const START_SECONDS = 60;

interface Shop {
  read(key: string, fallback: never): unknown;
  report?(event: string): Promise<unknown>;
}

export interface PageOptions {
  readonly url: string;
  readonly key: string;
  readonly useReport: boolean;
}

const seen = (detail: { value: unknown; variationIndex?: number | null; reason?: { kind: string } | null }) => ({
  value: detail.value,
  variation: detail.variationIndex,
  reason: detail.reason?.kind,
});

const opened: Readonly<Record<string, (options: PageOptions) => Promise<Shop>>> = {
  async 'js-4'({ url, key, useReport }) {
    const client = createClient(key, SHOPPER, {
      baseUri: url,
      streamUri: url,
      eventsUri: url,
      useReport,
      streaming: true,
      withReasons: true,
      streamInitialReconnectDelay: 0.2,
      logger: SILENT,
    });
    const result = await client.start({ timeout: START_SECONDS });
    if (result.status !== 'complete')
      throw new Error(`start: ${result.status} ${'error' in result ? result.error : ''}`);
    return {
      read: (flag, fallback) => seen(client.variationDetail(flag, fallback)),
      report(event) {
        client.track(event);
        return client.flush();
      },
    };
  },
  async 'js-3'({ url, key, useReport }) {
    const client = initialize(key, SHOPPER, {
      baseUrl: url,
      streamUrl: url,
      eventsUrl: url,
      useReport,
      streaming: true,
      evaluationReasons: true,
      streamReconnectDelay: 200,
      logger: SILENT,
    });
    await client.waitForInitialization(START_SECONDS).catch((error: Error) => {
      throw new Error(`start: failed ${error.message}`);
    });
    return {
      read: (flag, fallback) => seen(client.variationDetail(flag, fallback)),
      report(event) {
        client.track(event);
        return client.flush();
      },
    };
  },
  async ofrep({ url, key }) {
    await OpenFeature.setContext({ targetingKey: SHOPPER.key, plan: SHOPPER.plan });
    const headers: [string, string][] = [['Authorization', `Bearer ${key}`]];
    // Its types were generated without exactOptionalPropertyTypes.
    const provider = new OFREPWebProvider({ baseUrl: url, headers }) as unknown as Provider;
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    return {
      read(flag, fallback: boolean | string | number | Record<string, never>) {
        const details =
          typeof fallback === 'boolean'
            ? client.getBooleanDetails(flag, fallback)
            : typeof fallback === 'string'
              ? client.getStringDetails(flag, fallback)
              : typeof fallback === 'number'
                ? client.getNumberDetails(flag, fallback)
                : client.getObjectDetails(flag, fallback);
        return { value: details.value, variation: details.variant, reason: details.reason };
      },
    };
  },
};

let shop: Shop | undefined;

Object.assign(globalThis, {
  shop: {
    async open(sdk: string, options: PageOptions) {
      shop = await opened[sdk]?.(options);
    },
    read: (flag: string, fallback: never) => shop?.read(flag, fallback),
    report: async (event: string) => void (await shop?.report?.(event)),
  },
});
