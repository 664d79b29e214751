import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { SecureContextOptions } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { Cleanup } from '../processes.ts';

type Value = string | number | boolean | undefined;

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly string[];
  /** Undefined unless it has failed. */
  readonly error: string | undefined;
  /** Of the process. */
  readonly resource: Readonly<Record<string, Value>>;
}

export interface OtlpSink {
  /** `127.0.0.1:port` */
  readonly endpoint: string;
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  readonly spans: readonly CollectedSpan[];
  /** The spans with this name. */
  named(name: string): readonly CollectedSpan[];
}

/**
 * A collector of traces: OTLP over HTTP, as protobuf. `answer`: the status of a request; undefined hangs. `tls` has the
 * certificate of the server.
 */
export async function startOtlpSink(
  t: Cleanup,
  answer: (index: number) => number | undefined = () => 200,
  tls?: SecureContextOptions,
): Promise<OtlpSink> {
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const spans: CollectedSpan[] = [];
  const collect: RequestListener = async (incoming, response) => {
    const body = await buffer(incoming);
    const { headers, url: path = '' } = incoming;
    const status = answer(requests.push({ path, headers }) - 1);
    if (status === 200) spans.push(...readSpans(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    if (status !== undefined) response.writeHead(status).end();
  };
  const server = tls ? createTlsServer(tls, collect) : createServer(collect);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    named: (name) => spans.filter((span) => span.name === name),
  };
}

/** Reads an ExportTraceServiceRequest. Source: opentelemetry/proto/trace/v1/trace.proto. */
function readSpans(bytes: Buffer): readonly CollectedSpan[] {
  return messages(bytes, 1).flatMap((resourceSpans) => {
    const resource = messages(resourceSpans, 1).map((found) => attributesOf(found, 1))[0] ?? {};
    return messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2).map((span) => readSpan(span, resource)));
  });
}

function readSpan(span: Buffer, resource: CollectedSpan['resource']): CollectedSpan {
  const hex = (field: number) => messages(span, field)[0]?.toString('hex') ?? '';
  const status = messages(span, 15)[0] ?? Buffer.alloc(0);
  return {
    name: textOf(span, 5),
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    kind: numberOf(span, 6),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => textOf(event, 2)),
    error: numberOf(status, 3) === 2 ? textOf(status, 2) : undefined,
    resource,
  };
}

function attributesOf(message: Buffer, field: number): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    messages(message, field).map((pair) => [textOf(pair, 1), readValue(messages(pair, 2)[0] ?? Buffer.alloc(0))]),
  );
}

function readValue(message: Buffer): Value {
  const [first] = fieldsOf(message);
  if (first?.field === 2) return first.value === 1;
  return Buffer.isBuffer(first?.value) ? first.value.toString() : first?.value;
}

const messages = (message: Buffer, field: number) =>
  fieldsOf(message).flatMap((found) => (found.field === field && Buffer.isBuffer(found.value) ? [found.value] : []));

const textOf = (message: Buffer, field: number) => messages(message, field)[0]?.toString() ?? '';

const numberOf = (message: Buffer, field: number) =>
  Number(fieldsOf(message).find((found) => found.field === field)?.value ?? 0);

/** The fields of a protobuf message. */
function fieldsOf(bytes: Buffer): readonly { readonly field: number; readonly value: number | Buffer }[] {
  const found: { field: number; value: number | Buffer }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, wire] = [tag >> 3, tag & 7];
    if (wire === 0) found.push({ field, value: varint() });
    else found.push({ field, value: take(wire === 1 ? 8 : wire === 5 ? 4 : varint()) });
  }
  return found;
}
