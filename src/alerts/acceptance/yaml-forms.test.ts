// One configuration in many forms of YAML: what amtool takes is taken here, however it is written.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsReal, runProcess, temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { readConfig } from '../config/alertmanager-config.ts';

const FILES = 300;
const SEED = 20_261;

const PLAIN = String.raw`global:
  resolve_timeout: 5m
  smtp_from: 'a@b.c'
  smtp_smarthost: "h:25"
  smtp_require_tls: false
route:
  receiver: team
  group_by: ['alertname', cluster]
  routes:
    - matchers:
        - severity="page"
        - team=~"a|b"
      receiver: pager
      continue: true
      mute_time_intervals: [night]
    - match: {x: y}
      receiver: team
time_intervals:
  - name: night
    time_intervals:
      - times:
          - start_time: "22:00"
            end_time: '24:00'
        weekdays: ['monday:friday', sunday]
inhibit_rules:
  - source_matchers: [severity=critical]
    target_matchers:
    - severity=warning
    equal: [alertname]
receivers:
  - name: team
    webhook_configs:
      - url: http://127.0.0.1:1/x?y=z#f
        max_alerts: 10
  - name: pager
    slack_configs:
      - api_url: https://hooks.slack.com/x
        title: "{{ .Status }} \"q\""
        text: >-
          one
          two

          three
        fields:
          - title: a
            value: |
              b: c
               d
            short: yes
`;

/** Where a value begins. */
const VALUE = /: (?=\S)/;

/** Ways to write a line otherwise; many of them make something else of it, or nothing. */
const REWRITE: readonly ((line: string, random: Random) => string)[] = [
  (line, random) => `${' '.repeat(random.int(0, 12))}${line.trimStart()}`,
  (line, random) => `${' '.repeat(random.int(0, 8))}# remark: [x\n${line}`,
  (line, random) => line + random.pick([' # c', ' ', '\t', '  # "x', '#x', '\r']),
  (line, random) => line.replace(VALUE, random.pick([':  ', ':\t', ' : ', ':', ':\n              '])),
  (line, random) => line.replace(/: (\w.*)$/, random.pick([`: '$1'`, ': "$1"'])),
  (line, random) =>
    line
      .replace('[', random.pick(['[\n', '[ \n   ', '[ ', '[\n\n# c\n']))
      .replace(']', random.pick([',]', '\n]', ' ]', '\n  ]'])),
  (line, random) => line.replace('{', random.pick(['{\n', '{ "', '{? '])),
  (line, random) => line.replace(VALUE, `: ${random.pick(['&x ', '*x', '!!str ', '"'])}`),
  (line, random) =>
    line.replace(VALUE, `: ${random.pick(['|', '>', '|-', '>+', '|2', '|#c'])}\n${' '.repeat(random.int(10, 16))}`),
  (line, random) => `${random.pick(['---', '...', '- x', '? x', '<<: {a: b}'])}\n${line}`,
  (line, random) => line.replace('true', random.pick(['True', 'yes', 'on', 'Y', '1', '"true"'])),
  (line, random) => line.replace(' 10', ` ${random.pick(['0x0a', '1_0', '010', '1e1', '10.0', '+10', '-1', '~'])}`),
  (line, random) => line.replace(/(.*['"].*?) (.*)/, `$1\n${' '.repeat(random.int(0, 9))}$2`),
];

function rewrite(random: Random): string {
  const lines = PLAIN.split('\n');
  for (let times = random.int(1, 3); times > 0; times--) {
    const at = random.int(0, lines.length - 2);
    lines[at] = random.pick(REWRITE)(lines[at] ?? '', random);
  }
  return lines.join('\n');
}

test('every form of YAML that amtool accepts is accepted', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const random = new Random(SEED);
  const folder = temporaryFolder(t);
  const texts = new Map(Array.from({ length: FILES }, (_, index) => [join(folder, `${index}.yml`), rewrite(random)]));
  for (const [path, text] of texts) writeFileSync(path, text);
  const { stdout } = await runProcess('amtool', ['check-config', ...texts.keys()]);
  const taken = [...stdout.matchAll(/^Checking '(.*)' {2}SUCCESS/gm)].map(([, path = '']) => path);
  assert.ok(taken.length > FILES / 3 && taken.length < FILES, `${taken.length} of ${FILES} were taken`);
  for (const path of taken) {
    const text = texts.get(path) ?? '';
    const { ok, ...rest } = readConfig(text, { folder, matcherMode: 'fallback' });
    assert.ok(ok, `${JSON.stringify(rest)}\n${text}`);
  }
});
