// Loaded only when metrics are sent.
import { ValueType } from '@opentelemetry/api';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { MetricFamily } from '../metrics/metrics.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';

export interface MetricsSenderOptions extends DeliveryOptions {
  /** Otherwise protobuf. */
  readonly isJson: boolean;
  readonly intervalMs: number;
  /** Of the process that is measured. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  /** Since when counters have been counting, in epoch milliseconds. */
  readonly startedAt: number;
  readonly read: () => Promise<readonly MetricFamily[]>;
  readonly log: Log;
}

export interface MetricsSender {
  /** Sends the last numbers, in one attempt of at most `limitMs`. Idempotent. */
  close(limitMs: number): Promise<void>;
}

/**
 * Sends all metrics to a collector at an interval, by OTLP over HTTP. Numbers are cumulative, so that nothing is lost if one
 * does not arrive; the first of equal failures is logged.
 */
export function sendMetrics(options: MetricsSenderOptions): MetricsSender {
  const { clock, isJson, intervalMs, read, log } = options;
  const delivery = new Delivery(options, isJson ? 'application/json' : 'application/x-protobuf');
  const serializer = isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  let sending: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let lastFailure: string | undefined;
  const send = async (reading: ReturnType<typeof read>) => {
    try {
      await delivery.send(serializer.serializeRequest(printMetrics(await reading, options)) ?? new Uint8Array());
      lastFailure = undefined;
    } catch (error) {
      const err = messageOf(error);
      if (err !== lastFailure) log.error('metrics could not be sent to the collector', { err });
      lastFailure = err;
    }
  };
  const stop = clock.every(intervalMs, () => {
    sending ??= send(read()).finally(() => {
      sending = undefined;
    });
  });
  const close = async (limitMs: number) => {
    stop();
    delivery.finish();
    const cancel = clock.after(limitMs, () => delivery.abort());
    // Read at once: the sources of the numbers may end while an earlier batch is under way.
    const last = read();
    await sending;
    await send(last);
    cancel();
    await delivery.close();
  };
  return {
    close(limitMs) {
      closing ??= close(limitMs);
      return closing;
    },
  };
}

function printMetrics(families: readonly MetricFamily[], options: MetricsSenderOptions): ResourceMetrics {
  const { resource, version, startedAt, clock } = options;
  const times = { startTime: hrTime(startedAt), endTime: hrTime(clock.now()) };
  const attributes = {
    ...resource,
    'service.version': version,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
  };
  const metrics = families.map((family) => printMetric(family, times));
  return {
    resource: resourceFromAttributes(attributes),
    scopeMetrics: [{ scope: { name: 'opsdeck', version }, metrics }],
  };
}

type HrTime = [seconds: number, nanoseconds: number];

const hrTime = (epochMs: number): HrTime => [Math.floor(epochMs / 1000), Math.round((epochMs % 1000) * 1e6)];

function printMetric(
  { name, help, isCounter, values }: MetricFamily,
  times: { readonly startTime: HrTime; readonly endTime: HrTime },
): MetricData {
  const dataPoints = values
    // An unknown number.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  return isCounter
    ? {
        descriptor,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        aggregationTemporality,
        dataPoints,
      }
    : {
        descriptor,
        dataPointType: DataPointType.GAUGE,
        aggregationTemporality,
        dataPoints,
      };
}
