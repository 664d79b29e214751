import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLabelSet } from '../../domain/label-set.ts';
import { RouteTree } from '../../domain/route.ts';
import { AlertGroup } from '../../store/group.ts';
import type { TemplateData } from '../../template/template-data.ts';
import {
  fakeTemplates,
  notificationOf,
  notifiedAlert as notified,
  resolvedAlert,
} from '../../testing/notifier-parts.ts';
import { alertOf, MINUTE, routeSettings, START } from '../../testing/parts.ts';
import { notifiedAlert, pairsOf, renderRouteLabels, templateDataOf } from './data.ts';

test('an alert is sent with all posted fields, and with an end only when it has one', () => {
  const alert = alertOf(
    { job: 'node', alertname: 'Down' },
    { annotationsJson: '{"summary":"é"}', generatorURL: 'http://prometheus/g', endsAt: START + MINUTE },
  );
  const { fingerprint } = alert;
  const fields = {
    labels: { alertname: 'Down', job: 'node' },
    annotations: { summary: 'é' },
    startsAt: START,
    generatorURL: 'http://prometheus/g',
    fingerprint,
  };
  assert.deepEqual(notifiedAlert({ alert, isResolved: false }), { status: 'firing', ...fields, endsAt: undefined });
  assert.deepEqual(notifiedAlert({ alert, isResolved: true }), {
    status: 'resolved',
    ...fields,
    endsAt: START + MINUTE,
  });
});

test('labels of any name become pairs', () => {
  const labels = JSON.parse('{"__proto__":"a","constructor":"b","é":"c"}') as Record<string, string>;
  assert.deepEqual(Object.entries(pairsOf(createLabelSet(labels))), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['é', 'c'],
  ]);
});

test('templates have the status of all, their common labels, and the receiver as a pattern of its name', () => {
  const alerts = [
    notified({ alertname: 'Down', job: 'a' }, { annotations: { summary: 'x', n: '1' } }),
    resolvedAlert({ alertname: 'Down', job: 'b' }, { annotations: { summary: 'x' } }),
  ];
  const routeLabels = { tier: 'gold' };
  const notification = notificationOf(alerts, { receiver: 'team.a+b (ops)', routeLabels, reason: 'new alerts added' });
  assert.deepEqual(templateDataOf(notification, 'http://alerts.example.org'), {
    receiver: 'team\\.a\\+b \\(ops\\)',
    status: 'firing',
    alerts,
    notificationReason: 'new alerts added',
    groupLabels: { alertname: 'Down' },
    commonLabels: { alertname: 'Down' },
    commonAnnotations: { summary: 'x' },
    routeLabels,
    externalURL: 'http://alerts.example.org',
  });
});

test('the labels of a route are rendered with the data of the group; a failing one is left out', () => {
  const { root } = new RouteTree(routeSettings({ labels: { status: '{{ .Status }}', bad: 'fail', plain: 'p' } }));
  const group = new AlertGroup(root, createLabelSet({ alertname: 'Down' }));
  const seen: TemplateData[] = [];
  const failures: unknown[] = [];
  const templates = {
    ...fakeTemplates,
    text(template: string, data: TemplateData) {
      seen.push(data);
      if (template === 'fail') throw new Error('no');
      return fakeTemplates.text(template, data);
    },
  };
  const failed = (label: string, error: unknown) => failures.push([label, error]);
  const alerts = [resolvedAlert({ alertname: 'Down' })];
  const rendered = renderRouteLabels(group, alerts, { templates, externalUrl: 'http://x', failed });
  // In the order of their names, as Go prints them.
  assert.equal(JSON.stringify(rendered), '{"plain":"p","status":"resolved"}');
  assert.deepEqual(failures, [['bad', new Error('no')]]);
  assert.deepEqual(
    [seen[0]?.routeLabelsAreTemplates, seen[0]?.routeLabels, seen[0]?.notificationReason, seen[0]?.groupLabels],
    [true, root.labels, '', { alertname: 'Down' }],
  );
});
