import type { Clock } from '../kernel/clock.ts';
import type { Environment } from '../kernel/http-client/proxy.ts';
import type { Log } from '../kernel/log.ts';
import type { OpenTracer } from '../kernel/tracing/opentelemetry.ts';
import type { Traces } from '../kernel/tracing/tracer.ts';
import type { TracingConfig } from './config/telemetry-config.ts';
import { readHeaders } from './integrations/http/authorization.ts';
import { appendHeader, createHeaders } from './integrations/http/headers.ts';
import { readTls } from './integrations/http/tls.ts';
import { readSecretFile } from './integrations/secret-file.ts';
import { API_VERSION } from './version.ts';

/** The time for the last spans: a collector that hangs delays no stop longer. */
const CLOSE_LIMIT_MS = 5_000;

/** Alertmanager's default. */
const TIMEOUT_MS = 10_000;

interface TracingParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Has the proxies. */
  readonly environment: Environment;
}

/** The tracer of the configuration in force. */
export class Tracing implements Traces {
  readonly #parts: TracingParts;
  #tracer: OpenTracer | undefined;
  #config = '';

  constructor(parts: TracingParts) {
    this.#parts = parts;
  }

  get tracer(): OpenTracer | undefined {
    return this.#tracer;
  }

  /** Puts the section in force. The last spans of the old one are sent meanwhile. */
  async apply(section: TracingConfig | undefined): Promise<void> {
    // gRPC has a warning in the configuration.
    const config = section?.clientType === 'http' ? section : undefined;
    const text = config ? JSON.stringify(config) : '';
    if (text === this.#config) return;
    const old = this.#tracer;
    this.#tracer = config && (await this.#open(config));
    this.#config = text;
    void old?.close(CLOSE_LIMIT_MS);
  }

  /** Sends the last spans. */
  async stop(): Promise<void> {
    const last = this.#tracer;
    this.#tracer = undefined;
    await last?.close(CLOSE_LIMIT_MS);
  }

  async #open(config: TracingConfig): Promise<OpenTracer | undefined> {
    const { clock, log, environment } = this.#parts;
    const { endpoint, insecure, tlsConfig, headers = {}, compression, timeout, samplingFraction } = config;
    const url = `${insecure ? 'http' : 'https'}://${endpoint}/v1/traces`;
    if (!/^[^/?#@]+$/.test(endpoint) || !URL.canParse(url)) {
      log.error('no traces are sent: the endpoint of tracing must be host:port, without a scheme and a path');
      return undefined;
    }
    const { openTracer } = await import('../kernel/tracing/opentelemetry.ts');
    return openTracer({
      ...{ url, samplingFraction, clock, log },
      connections: { variables: environment, ...(insecure ? {} : { tls: () => readTls(tlsConfig) }) },
      headers: async () => {
        const fields = createHeaders({});
        for (const [name, value] of await readHeaders(headers, readSecretFile)) appendHeader(fields, name, value);
        return fields;
      },
      isCompressed: compression === 'gzip',
      timeoutMs: timeout || TIMEOUT_MS,
      serviceName: 'alertmanager',
      serviceVersion: API_VERSION,
    });
  }
}
