import type { GlobalConfig } from '../config/global-config.ts';
import { type HttpConfig, httpConfig } from '../config/http-config.ts';
import { bool, type Field, optional, withDefault } from '../config/kind.ts';

/** `byDefault`: whether resolved alerts are told of where the file does not say. */
export function sendResolved(byDefault: boolean): { readonly send_resolved: Field<boolean> } {
  return { send_resolved: withDefault(bool, byDefault) };
}

/** The fields of every integration that speaks HTTP. */
export function httpFields(sendResolvedByDefault: boolean) {
  return { ...sendResolved(sendResolvedByDefault), http_config: optional(httpConfig) };
}

/** An integration's own HTTP configuration stands in for the whole of the global one. */
export function inheritHttp<C extends { readonly httpConfig: HttpConfig | undefined }>(
  config: C,
  global: GlobalConfig,
): C {
  return { ...config, httpConfig: config.httpConfig ?? global.httpConfig };
}
