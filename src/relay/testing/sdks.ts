// LaunchDarkly's and OpenFeature's own clients behind one interface.
import type { TestContext } from 'node:test';
import { init, type LDOptions } from '@launchdarkly/node-server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { initialize } from 'launchdarkly-node-client-sdk';
import LaunchDarkly from 'launchdarkly-node-server-sdk';

/** The evaluation of a client; `variation` and `reason` are absent if it does not report them. */
export interface SeenFlag {
  readonly value: unknown;
  readonly variation?: number | string | null | undefined;
  /** The kind of the reason. */
  readonly reason?: string | undefined;
}

/** A client that has started. */
export interface SdkClient {
  read(key: string, fallback: unknown): Promise<SeenFlag>;
  /** Reports an event and flushes; absent if the client has no events. */
  readonly report?: (event: string) => Promise<void>;
  close(): Promise<void>;
}

export interface Sdk {
  readonly name: string;
  readonly sdkKind: 'server' | 'client';
  /** Whether flags keep their values while the relay is down. */
  readonly remembers: boolean;
  readonly sendsEvents: boolean;
  /** Its error for an unknown key. */
  readonly refusal: RegExp;
  /** Rejects if the client cannot start. */
  open(url: string, key: string): Promise<SdkClient>;
}

export const UNKNOWN_KEY = 'unknown-key';
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };
const SHOPPER = { kind: 'user', key: 'ada', plan: 'gold' } as const;

interface Detail {
  readonly value: unknown;
  readonly variationIndex?: number | null | undefined;
  readonly reason?: { readonly kind: string } | null | undefined;
}

const seenFlag = ({ value, variationIndex, reason }: Detail): SeenFlag => ({
  value,
  variation: variationIndex,
  reason: reason?.kind,
});

const hosts = (url: string) => ({ baseUri: url, streamUri: url, eventsUri: url });

/** A data system reports the refusal of its last source, or that it has no other one left. */
const REFUSALS = {
  polling: /401 \(invalid SDK key\)/,
  streaming: /^Error: Authentication failed/,
  dataSystem: /Authentication failed|has exhausted all/,
};

function serverSdk(name: string, options: LDOptions): Sdk {
  const source = options.dataSystem ? 'dataSystem' : options.stream === false ? 'polling' : 'streaming';
  return {
    name: `@launchdarkly/node-server-sdk, ${name}`,
    sdkKind: 'server',
    remembers: true,
    sendsEvents: true,
    refusal: REFUSALS[source],
    async open(url, key) {
      const client = init(key, { ...hosts(url), ...options, logger: SILENT, streamInitialReconnectDelay: 0.2 });
      await client.waitForInitialization().catch((error: unknown) => {
        client.close();
        throw error;
      });
      return {
        read: async (flag, fallback) => seenFlag(await client.variationDetail(flag, SHOPPER, fallback)),
        async report(event) {
          client.track(event, SHOPPER);
          await client.flush();
        },
        close: async () => client.close(),
      };
    },
  };
}

function oldServerSdk(name: string, options: { readonly stream: boolean }): Sdk {
  return {
    name: `launchdarkly-node-server-sdk 7, ${name}`,
    sdkKind: 'server',
    remembers: true,
    sendsEvents: true,
    refusal: options.stream ? /^Error: Authentication failed/ : /401 \(invalid SDK key\)/,
    async open(url, key) {
      const client = LaunchDarkly.init(key, {
        ...hosts(url),
        ...options,
        logger: SILENT,
        streamInitialReconnectDelay: 0.2,
      });
      await client.waitForInitialization().catch((error: unknown) => {
        client.close();
        throw error;
      });
      return {
        read: async (flag, fallback) => seenFlag(await client.variationDetail(flag, SHOPPER, fallback)),
        async report(event) {
          client.track(event, SHOPPER);
          await client.flush();
        },
        close: async () => client.close(),
      };
    },
  };
}

function nodeClientSdk(name: string, options: { readonly useReport: boolean }): Sdk {
  return {
    name: `launchdarkly-node-client-sdk, ${name}`,
    sdkKind: 'client',
    remembers: true,
    sendsEvents: true,
    refusal: /Environment not found/,
    async open(url, key) {
      const client = initialize(key, SHOPPER, {
        baseUrl: url,
        streamUrl: url,
        eventsUrl: url,
        ...options,
        streaming: true,
        evaluationReasons: true,
        streamReconnectDelay: 200,
        logger: SILENT,
      });
      await client.waitForInitialization().catch(async (error: unknown) => {
        await client.close();
        throw error;
      });
      return {
        read: async (flag, fallback) => seenFlag(client.variationDetail(flag, fallback)),
        async report(event) {
          client.track(event);
          await client.flush();
        },
        close: () => client.close(),
      };
    },
  };
}

let domains = 0;

function openFeature(): Sdk {
  return {
    name: '@openfeature/ofrep-provider',
    sdkKind: 'server',
    remembers: false,
    sendsEvents: false,
    refusal: /^Error: GENERAL/,
    async open(url, key) {
      const domain = `relay ${++domains}`;
      const provider = new OFREPProvider({ baseUrl: url, headers: [['Authorization', `Bearer ${key}`]] });
      await OpenFeature.setProviderAndWait(domain, provider);
      const client = OpenFeature.getClient(domain);
      const context = { targetingKey: SHOPPER.key, plan: SHOPPER.plan };
      const ask = (flag: string, fallback: unknown) => {
        if (typeof fallback === 'boolean') return client.getBooleanDetails(flag, fallback, context);
        if (typeof fallback === 'string') return client.getStringDetails(flag, fallback, context);
        if (typeof fallback === 'number') return client.getNumberDetails(flag, fallback, context);
        return client.getObjectDetails(flag, fallback as Record<string, never>, context);
      };
      const read = async (flag: string, fallback: unknown) => {
        const { value, variant, reason, errorCode, errorMessage } = await ask(flag, fallback);
        // A server provider makes no request at its start: the first evaluation detects an invalid key.
        if (errorCode === 'GENERAL') throw new Error(`GENERAL: ${errorMessage}`);
        return { value, variation: variant, reason };
      };
      await read('bool', false);
      // A provider has nothing to close, and clearing providers would affect other tests.
      return { read, close: async () => {} };
    },
  };
}

export const NODE_SDKS: readonly Sdk[] = [
  serverSdk('streaming', { stream: true }),
  serverSdk('polling', { stream: false }),
  serverSdk('data system', { dataSystem: {} }),
  oldServerSdk('streaming', { stream: true }),
  oldServerSdk('polling', { stream: false }),
  nodeClientSdk('GET', { useReport: false }),
  nodeClientSdk('REPORT', { useReport: true }),
  openFeature(),
];

const POLL_INTERVAL_MS = 30_000;
const SHORTER = 100;

/** Server SDKs poll at most every 30 s: until the end of the test, such waits take a hundredth of it. */
export function shortenPolls(t: TestContext): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const wait: (action: () => void, ms?: number, ...args: never[]) => unknown = globalThis[name];
    const shorter: typeof wait = (action, ms = 0, ...args) => {
      const isPoll = ms > POLL_INTERVAL_MS * 0.8 && ms <= POLL_INTERVAL_MS;
      return wait(action, isPoll ? ms / SHORTER : ms, ...args);
    };
    t.mock.method(globalThis, name, shorter as typeof setTimeout);
  }
}
