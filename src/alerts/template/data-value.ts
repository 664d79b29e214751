import type { Pairs } from '../domain/notification.ts';
import type { TemplateAlert, TemplateData } from './template-data.ts';
import { timeOfMs, ZERO_TIME } from './time/time.ts';
import { GoList, GoMap, GoPointer, GoStruct, type StructType } from './value.ts';

const DATA: StructType = {
  name: 'template.Data',
  fields: [
    'Receiver',
    'Status',
    'Alerts',
    'NotificationReason',
    'GroupLabels',
    'CommonLabels',
    'CommonAnnotations',
    'RouteLabels',
    'ExternalURL',
    'routeLabelsRendered',
  ],
  json: [
    'receiver',
    'status',
    'alerts',
    'notification_reason',
    'groupLabels',
    'commonLabels',
    'commonAnnotations',
    'routeLabels',
    'externalURL',
    undefined,
  ],
};

const ALERT: StructType = {
  name: 'template.Alert',
  fields: ['Status', 'Labels', 'Annotations', 'StartsAt', 'EndsAt', 'GeneratorURL', 'Fingerprint'],
  json: ['status', 'labels', 'annotations', 'startsAt', 'endsAt', 'generatorURL', 'fingerprint'],
};

const PAIR: StructType = { name: 'template.Pair', fields: ['Name', 'Value'], json: ['Name', 'Value'] };

export const keyValues = (pairs: Pairs): GoMap => new GoMap('template.KV', new Map(Object.entries(pairs)));

export function sortedPairs(map: GoMap): GoList {
  return new GoList(
    'template.Pairs',
    map.readingOrder.map((name) => new GoStruct(PAIR, [name, map.entries.get(name)])),
  );
}

function alertValue(alert: TemplateAlert): GoStruct {
  return new GoStruct(ALERT, [
    alert.status,
    keyValues(alert.labels),
    keyValues(alert.annotations),
    timeOfMs(alert.startsAt),
    alert.endsAt === undefined ? ZERO_TIME : timeOfMs(alert.endsAt),
    alert.generatorURL,
    alert.fingerprint,
  ]);
}

const known = new WeakMap<TemplateData, GoPointer>();

/** The value of `.`, made once for all fields that are rendered with the same data. */
export function dataValue(data: TemplateData): GoPointer {
  let value = known.get(data);
  if (!value) {
    value = new GoPointer(
      new GoStruct(DATA, [
        data.receiver,
        data.status,
        new GoList('template.Alerts', data.alerts.map(alertValue)),
        data.notificationReason,
        keyValues(data.groupLabels),
        keyValues(data.commonLabels),
        keyValues(data.commonAnnotations),
        keyValues(data.routeLabels),
        data.externalURL,
        data.routeLabelsAreTemplates !== true,
      ]),
    );
    known.set(data, value);
  }
  return value;
}
