import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import type { TemplateData } from './template-data.ts';
import { TemplateError } from './template-error.ts';
import { type TemplateFile, Templates, templateFault } from './templates.ts';

const data = notifierContext().dataOf(
  notificationOf([notifiedAlert({ alertname: 'Down', instance: 'a' }), notifiedAlert({ alertname: 'Down' })]),
);

function templatesOf(files: readonly TemplateFile[] = [], clock = new FakeClock()): Templates {
  const templates = Templates.parse(files, clock);
  assert.ok(templates.ok);
  return templates.value;
}

const file = (text: string, name = 'own.tmpl'): TemplateFile => ({ name, text });

function refusalOf(template: string, more: Partial<TemplateData> = {}): string {
  try {
    templatesOf().text(template, { ...data, ...more });
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error));
    return error.message;
  }
  throw new Error(`${template} was rendered`);
}

test('a text without actions is itself', () => {
  assert.equal(templatesOf().text('100 % {safe}', data), '100 % {safe}');
  assert.equal(templatesOf().html('a <!-- secret --> b', data), 'a  b');
});

test('a later file replaces a definition, an empty one does not', () => {
  const templates = templatesOf([
    file('{{ define "a" }}one{{ end }}{{ define "b" }}kept{{ end }}', '1.tmpl'),
    file('{{ define "a" }}two{{ end }}{{ define "b" }} {{/* nothing */}} {{ end }}', '2.tmpl'),
  ]);
  assert.equal(templates.text('{{ template "a" }} {{ template "b" }}', data), 'two kept');
});

test('a definition in a field is that field’s alone', () => {
  const templates = templatesOf();
  assert.equal(templates.text('{{ define "__subject" }}mine{{ end }}{{ template "__subject" . }}', data), 'mine');
  assert.equal(templates.text('{{ template "__subject" . }}', data), '[FIRING:2] Down ');
});

test('one set of templates does not change another', () => {
  templatesOf([file('{{ define "__subject" }}mine{{ end }}')]);
  assert.equal(templatesOf().text('{{ template "__subject" . }}', data), '[FIRING:2] Down ');
});

test('a file that cannot be parsed refuses all, and is named with the line', () => {
  const broken = file('fine\n{{ define "a" }}{{ nofn }}{{ end }}');
  assert.deepEqual(Templates.parse([broken]), {
    ok: false,
    reason: 'template: own.tmpl:2: function "nofn" not defined',
  });
});

test('checking a field looks at its syntax alone', () => {
  assert.equal(templateFault('{{ template "nope" .Nope }}'), undefined);
  assert.equal(templateFault('a {{ if }}'), 'template: :1: missing value for if');
});

test('the names include the default templates and the files', () => {
  const names = templatesOf([file('{{ define "mine" }}x{{ end }}')]).names();
  for (const name of ['mine', 'own.tmpl', 'slack.default.title', '__subject']) assert.ok(names.includes(name), name);
  for (const name of ['', 'common.tmpl']) assert.ok(!names.includes(name), name);
});

test('now is the clock’s, and durations since are measured by it', () => {
  const templates = templatesOf([], new FakeClock('2026-01-01T01:30:00.25Z'));
  assert.equal(templates.text('{{ now.UTC }}', data), '2026-01-01 01:30:00.25 +0000 UTC');
  assert.equal(templates.text('{{ since (index .Alerts 0).StartsAt }}', data), '1h30m0.25s');
  assert.equal(templates.text('{{ since (index .Alerts 0).StartsAt | humanizeDuration }}', data), '1h 30m 0s');
});

test('route labels are rendered where they are templates, and only there', () => {
  const templates = templatesOf();
  const routeLabels = {
    channel: '#{{ .GroupLabels.alertname }}',
    both: '{{ routeLabels "channel" }}!',
    bad: '{{ .X }}',
  };
  const asTemplates = { ...data, routeLabels, routeLabelsAreTemplates: true };
  assert.equal(templates.text('{{ routeLabels "both" }}', asTemplates), '#Down!');
  assert.equal(templates.text('{{ routeLabels "none" }}', asTemplates), '');
  assert.equal(templates.text('{{ routeLabels "channel" }}', { ...data, routeLabels }), routeLabels.channel);
  const refusal = refusalOf('{{ routeLabels "bad" }}', asTemplates);
  assert.match(refusal, /error calling routeLabels: template: :1:3: executing "" at <\.X>: can't evaluate field X/);
});

test('route labels that go round in a circle are refused, with the circle', () => {
  const routeLabels = { a: '{{ routeLabels "b" }}', b: '{{ routeLabels "a" }}' };
  const refusal = refusalOf('{{ routeLabels "a" }}', { routeLabels, routeLabelsAreTemplates: true });
  assert.match(refusal, /route label cycle detected: a -> b -> a$/);
});

test('data is escaped in HTML by its context, and in text not at all', () => {
  const hostile = { ...data, externalURL: 'javascript:alert(1)', receiver: '"><script>' };
  const template = '<a href="{{ .ExternalURL }}" title="{{ .Receiver }}">{{ .Receiver }}</a>';
  const html = '<a href="#ZgotmplZ" title="&#34;&gt;&lt;script&gt;">&#34;&gt;&lt;script&gt;</a>';
  assert.equal(templatesOf().html(template, hostile), html);
  assert.equal(templatesOf().text('{{ .Receiver }}', hostile), '"><script>');
});

test('HTML with ambiguous markup is refused, with the place', () => {
  assert.throws(() => templatesOf().html('<p>\n<a b=c"d>{{ .Status }}', data), {
    name: 'TemplateError',
    message: /^html\/template::1:0: .* in unquoted attr/,
  });
});

test('nothing of JavaScript’s own objects is reached', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
    assert.equal(templatesOf().text(`{{ .CommonLabels.${name} }}`, data), '', name);
    assert.equal(templatesOf().text(`{{ (dict "a" 1).${name} }}`, data), '<no value>', name);
    assert.match(refusalOf(`{{ .${name} }}`), /can't evaluate field/, name);
    assert.match(refusalOf(`{{ .Alerts.${name} }}`), /can't evaluate field/, name);
    assert.match(refusalOf(`{{ ${name} }}`), /function ".*" not defined/, name);
    assert.match(refusalOf(`{{ template "${name}" }}`), /not defined$/, name);
    const own = { ...data, commonLabels: Object.fromEntries([[name, 'mine']]) };
    assert.equal(templatesOf().text(`{{ .CommonLabels.${name} }}`, own), 'mine', name);
  }
});

test('a template without end is stopped, and says where it was', () => {
  const endless: readonly (readonly [template: string, reason: RegExp])[] = [
    ['{{ range 9223372036854775807 }}{{ end }}', /^template: :1:9: .*: the template takes more than 10000000 steps$/],
    [
      '{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}',
      /executing "r" .*: exceeded maximum template depth/,
    ],
    ['{{ $x := "0123456789" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}', /error calling print: the text grows/],
    [
      '{{ $x := list 1 }}{{ range 99 }}{{ $x = list $x $x }}{{ end }}',
      /error calling list: the value grows too large$/,
    ],
    ['{{ $x := dict "a" 1 }}{{ range 99 }}{{ $x = dict "a" $x "b" $x }}{{ end }}', /the value grows too large$/],
    ['{{ $x := list }}{{ range 99999 }}{{ $x = append $x 1 }}{{ end }}', /takes more than 10000000 steps$/],
    ['{{ $x := printf "%1000000d" 1 }}{{ range 99 }}{{ $x }}{{ end }}', /the output exceeds 33554432 characters$/],
    ['{{ range 99999 }}{{ $x := printf "%999999d" 1 }}{{ end }}', /takes more than 10000000 steps$/],
  ];
  for (const [template, reason] of endless) assert.match(refusalOf(template), reason, template);
});

test('a template that nests without measure is refused, not fatal', () => {
  const deep: readonly (readonly [template: string, reason: RegExp])[] = [
    [`{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`, /: max expression depth exceeded$/],
    [`${'{{ if true }}'.repeat(20_000)}${'{{ end }}'.repeat(20_000)}`, /nested too deeply$/],
    [`{{ if 0 }}${'{{ else if 0 }}'.repeat(20_000)}{{ end }}`, /nested too deeply$/],
  ];
  for (const [template, reason] of deep) assert.match(refusalOf(template), reason);
  assert.equal(templatesOf().text('{{/* x */}}'.repeat(20_000), data), '');
});

test('handing all data on for every alert costs little', () => {
  const alerts = Array.from({ length: 1000 }, (_, index) => notifiedAlert({ alertname: 'Down', instance: `${index}` }));
  const template =
    '{{ define "one" }}{{ .alert.Labels.instance }}{{ .root.Status }} {{ end }}' +
    '{{ range .Alerts }}{{ template "one" (dict "root" $ "alert" .) }}{{ end }}';
  assert.match(templatesOf().text(template, { ...data, alerts }), /^0firing 1firing .* 999firing $/);
});

test('a failed rendering leaves nothing behind for the next', () => {
  const templates = templatesOf();
  const template =
    '{{ range .Alerts }}{{ with .Labels.instance }}{{ . }}{{ else }}{{ template "nope" }}{{ end }}{{ end }}';
  assert.throws(() => templates.text(template, data), TemplateError);
  const [first] = data.alerts;
  assert.equal(templates.text(template, { ...data, alerts: first ? [first] : [] }), 'a');
});

test('more fields than are kept are all rendered', () => {
  const templates = templatesOf();
  for (let index = 0; index < 2500; index++) {
    assert.equal(templates.text(`{{ ${index % 1200} }}`, data), String(index % 1200));
  }
});
