import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { SdkKind } from './receiver.ts';

/** Where the events of one kind of SDK go, and in whose name. */
export interface EventTarget {
  readonly url: string;
  readonly diagnosticUrl: string;
  /** Empty for the client kind of SDK, whose URLs name the environment. */
  readonly authorization: { readonly authorization?: string };
}

/** Undefined: the environment has no credential of that kind of SDK. `uri` is the one of the events host. */
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
