import { httpConfig, httpHeaders, tlsConfig } from './http-config.ts';
import {
  bool,
  duration,
  integer,
  type Kind,
  list,
  object,
  oneOf,
  optional,
  refined,
  secretUrl,
  text,
  type ValueOf,
  withDefault,
} from './kind.ts';

// The parts of the file about Alertmanager's own telemetry.

const fraction: Kind<number> = {
  read(node) {
    const value = Number(node.text());
    if (node.text().trim() === '' || Number.isNaN(value)) {
      throw node.fault(`expected a number, found ${JSON.stringify(node.written())}`);
    }
    return value;
  },
  print: (value) => value || undefined,
};

const clientType = refined(text, (found) =>
  found === 'http' || found === 'grpc'
    ? undefined
    : `expected tracing client type to be http or grpc, but got ${found}`,
);

const compression = refined(text, (found) =>
  found === '' || found === 'gzip' ? undefined : `invalid compression type ${found} provided, valid options: gzip`,
);

/** Sent by OTLP over HTTP; over gRPC it has no effect here. */
export const tracing = object(
  {
    client_type: withDefault(clientType, 'grpc'),
    endpoint: withDefault(text, ''),
    sampling_fraction: withDefault(fraction, 0),
    insecure: withDefault(bool, false),
    tls_config: optional(tlsConfig),
    headers: optional(httpHeaders),
    compression: withDefault(compression, ''),
    timeout: optional(duration),
  },
  ({ endpoint }) => (endpoint === '' ? 'tracing endpoint must be set' : undefined),
);

export type TracingConfig = ValueOf<typeof tracing>;

const fileOutput = object({ path: withDefault(text, '') }, ({ path }) =>
  path === '' ? 'event_recorder file output requires a path' : undefined,
);

const webhookOutput = object(
  {
    url: optional(secretUrl),
    http_config: optional(httpConfig),
    timeout: optional(duration),
    workers: optional(integer),
    max_retries: optional(integer),
    retry_backoff: optional(duration),
    batch: withDefault(bool, false),
    batch_max_events: optional(integer),
    batch_max_bytes: optional(integer),
    batch_flush_interval: optional(duration),
  },
  (output) => {
    if (output.url === undefined) return 'event_recorder webhook output requires a url';
    const sizes = [output.batchMaxEvents, output.batchMaxBytes, output.batchFlushInterval];
    if (sizes.some((size) => size !== undefined && size < 0)) {
      return 'event_recorder webhook batch settings cannot be negative';
    }
    return !output.batch && sizes.some(Boolean)
      ? 'event_recorder webhook batch settings require batch: true'
      : undefined;
  },
);

const kafkaOutput = object(
  {
    brokers: withDefault(list(text), []),
    topic: withDefault(text, ''),
    client_id: optional(text),
    format: optional(oneOf('', 'json', 'protobuf')),
    acks: optional(oneOf('', 'none', 'leader', 'all')),
    compression: optional(oneOf('', 'none', 'gzip', 'snappy', 'lz4', 'zstd')),
    buffer_size: optional(integer),
    tls_config: optional(tlsConfig),
  },
  ({ topic }) => (topic === '' ? 'event_recorder kafka output requires a topic' : undefined),
);

/** Its outputs to Kafka have no effect here. */
export const eventRecorder = object({
  file_outputs: withDefault(list(fileOutput), []),
  webhook_outputs: withDefault(list(webhookOutput), []),
  kafka_outputs: withDefault(list(kafkaOutput), []),
  stdout_outputs: withDefault(list(object({})), []),
});

export type EventRecorderConfig = ValueOf<typeof eventRecorder>;
