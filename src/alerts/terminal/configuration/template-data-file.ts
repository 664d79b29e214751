import * as v from 'valibot';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { TemplateAlert, TemplateData } from '../../template/template-data.ts';
import { readJson } from '../json-input.ts';

const pairs = v.optional(v.record(v.string(), v.string()), {});
const word = v.optional(v.string(), '');
const instant = v.optional(
  v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(Date.parse(text)), 'expected a time such as 2026-03-01T18:00:00Z'),
  ),
);
const alertSchema = v.looseObject({
  status: word,
  labels: pairs,
  annotations: pairs,
  startsAt: instant,
  endsAt: instant,
  generatorURL: word,
  fingerprint: word,
});
const dataSchema = v.looseObject({
  receiver: word,
  status: word,
  alerts: v.optional(v.array(alertSchema), []),
  notification_reason: word,
  groupLabels: pairs,
  commonLabels: pairs,
  commonAnnotations: pairs,
  routeLabels: pairs,
  externalURL: word,
});

/** Go's zero time. */
const YEAR_ONE = Date.parse('0001-01-01T00:00:00Z');

type FileAlert = v.InferOutput<typeof alertSchema>;

function alertOf({
  status,
  labels,
  annotations,
  startsAt,
  endsAt,
  generatorURL,
  fingerprint,
}: FileAlert): TemplateAlert {
  const end = endsAt === undefined ? YEAR_ONE : Date.parse(endsAt);
  return {
    // Any text: templates only compare and print it.
    status: status as TemplateAlert['status'],
    labels,
    annotations,
    startsAt: startsAt === undefined ? YEAR_ONE : Date.parse(startsAt),
    endsAt: end === YEAR_ONE ? undefined : end,
    generatorURL,
    fingerprint,
  };
}

/** Reads data for templates: JSON like a webhook's; absent fields are empty. Throws for wrong usage. */
export async function readTemplateData(path: string, terminal: Terminal): Promise<TemplateData> {
  const file = await readJson(path, dataSchema, 'a notification as a webhook gets it', terminal);
  return {
    receiver: file.receiver,
    status: file.status as TemplateData['status'],
    alerts: file.alerts.map(alertOf),
    notificationReason: file.notification_reason as TemplateData['notificationReason'],
    groupLabels: file.groupLabels,
    commonLabels: file.commonLabels,
    commonAnnotations: file.commonAnnotations,
    routeLabels: file.routeLabels,
    externalURL: file.externalURL,
  };
}

const MINUTE_MS = 60_000;

/** A group of two alerts, one of them resolved. `now` in epoch milliseconds. */
export function sampleTemplateData(now: number): TemplateData {
  const commonLabels = { alertname: 'DiskFull', job: 'node', severity: 'critical' };
  const commonAnnotations = { runbook_url: 'https://runbooks.example/disk-full' };
  const alertOn = (instance: string, more: Partial<TemplateAlert>): TemplateAlert => ({
    status: 'firing',
    labels: { alertname: 'DiskFull', instance, job: 'node', severity: 'critical' },
    annotations: { ...commonAnnotations, summary: `/var on ${instance} is at 97 %` },
    startsAt: now - 5 * MINUTE_MS,
    endsAt: undefined,
    generatorURL: 'https://prometheus.example/graph?g0.expr=disk_used_ratio+%3E+0.95',
    fingerprint: '',
    ...more,
  });
  return {
    receiver: 'team',
    status: 'firing',
    alerts: [
      alertOn('db1.example:9100', { fingerprint: '5f3c9c4e81f2d0aa' }),
      alertOn('db2.example:9100', {
        status: 'resolved',
        startsAt: now - 10 * MINUTE_MS,
        endsAt: now - MINUTE_MS,
        fingerprint: '8a01be6a3bd1c744',
      }),
    ],
    notificationReason: 'first notification',
    groupLabels: { alertname: 'DiskFull' },
    commonLabels,
    commonAnnotations,
    routeLabels: {},
    externalURL: 'https://alerts.example',
  };
}
