import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { SdkKind } from '../credentials.ts';

/** Where events of one kind of SDK are sent, and with which credential. */
export interface EventTarget {
  readonly url: string;
  readonly diagnosticUrl: string;
  /** Empty for `client`, whose URLs contain the environment id. */
  readonly authorization: { readonly authorization?: string };
}

/** Undefined if the environment has no credential of this kind. `uri` is that of the events host. */
export function eventTarget(uri: string, sdkKind: SdkKind, environment: EnvironmentOptions): EventTarget | undefined {
  const base = uri.replace(/\/+$/, '');
  const { sdkKey, mobileKey, envId } = environment;
  switch (sdkKind) {
    case 'server':
      return keyed(base, '/bulk', '/diagnostic', sdkKey);
    case 'mobile':
      return mobileKey === undefined ? undefined : keyed(base, '/mobile', '/mobile/events/diagnostic', mobileKey);
    case 'client': {
      if (envId === undefined) return undefined;
      const id = encodeURIComponent(envId);
      return { url: `${base}/events/bulk/${id}`, diagnosticUrl: `${base}/events/diagnostic/${id}`, authorization: {} };
    }
  }
}

function keyed(base: string, path: string, diagnosticPath: string, key: string): EventTarget {
  return { url: base + path, diagnosticUrl: base + diagnosticPath, authorization: { authorization: key } };
}
