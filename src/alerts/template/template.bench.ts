import { bench, describeMachine, isAsked, printSpread, printTable, spreadOf } from '../../testing/bench.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import type { TemplateData } from './template-data.ts';
import { Templates } from './templates.ts';

const ALERTS = 500;
const ROUNDS = 40;

const LABELS = ['alertname', 'cluster', 'instance', 'job', 'namespace', 'pod', 'severity', 'team'];

function dataOf(count: number): TemplateData {
  const alerts = Array.from({ length: count }, (_, index) =>
    notifiedAlert(Object.fromEntries(LABELS.map((name) => [name, `${name}-${index}`])), {
      annotations: {
        description: `Requests of instance ${index} take longer than <2 s> & more of them fail`,
        runbook_url: `https://runbooks.example.org/latency?instance=${index}`,
        summary: `Instance ${index} is slow`,
      },
      generatorURL: 'https://prometheus.example.org/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
    }),
  );
  return notifierContext().dataOf(notificationOf(alerts));
}

/** What people put into `slack_configs`: a line for each alert, and its labels. */
const SLACK_TEXT = `{{ range .Alerts -}}
*{{ .Labels.alertname }}* ({{ .Labels.severity | toUpper }}) {{ .Annotations.summary }}
{{ range .Labels.SortedPairs }}• *{{ .Name }}:* \`{{ .Value }}\`
{{ end }}{{ with .GeneratorURL }}<{{ . }}|source>{{ end }}
{{ end }}`;

const RENDERINGS: readonly (readonly [part: string, mode: 'text' | 'html', template: string, alerts: number])[] = [
  ['slack', 'text', SLACK_TEXT, ALERTS],
  ['list', 'text', '{{ template "__text_alert_list" .Alerts }}', ALERTS],
  ['email', 'html', '{{ template "email.default.html" . }}', ALERTS],
  ['subject', 'text', '{{ template "__subject" . }}', ALERTS],
  ['small', 'text', SLACK_TEXT, 1],
];

function timesOf(templates: Templates, mode: 'text' | 'html', template: string, alerts: number): number[] {
  const data = dataOf(alerts);
  const repeats = Math.max(1, Math.round(ALERTS / alerts / 10));
  const times: number[] = [];
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    const started = performance.now();
    // A new object each time: nothing is known of the data from the rendering before.
    for (let repeat = 0; repeat < repeats; repeat++) templates[mode](template, { ...data });
    if (round >= 0) times.push(((performance.now() - started) * 1000) / repeats);
  }
  return times;
}

bench('template', async (filters) => {
  const templates = Templates.parse([]);
  if (!templates.ok) throw new Error(templates.reason);
  const rows = RENDERINGS.filter(([part]) => isAsked(part, filters)).map(([part, mode, template, alerts]) => {
    const length = templates.value[mode](template, dataOf(alerts)).length;
    const spread = printSpread(spreadOf(timesOf(templates.value, mode, template, alerts)));
    return [part, mode, String(alerts), String(Math.round(length / 1024)), spread];
  });
  console.log(describeMachine());
  console.log(printTable(['rendering', 'mode', 'alerts', 'KB', 'µs: median (least–most)'], rows));
});
