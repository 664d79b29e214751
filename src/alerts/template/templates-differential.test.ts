import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateAlert, TemplateData } from './template-data.ts';
import { TemplateError } from './template-error.ts';
import { Templates } from './templates.ts';
// What Alertmanager 0.34.2, built with Go 1.26, made of each template; `random` ones are from a seeded grammar.
import measured from './testdata/template-cases.json' with { type: 'json' };

interface Case {
  readonly group: string;
  readonly mode?: 'html';
  readonly data?: string;
  /** Template files by their names, read in the order of these. */
  readonly files?: Readonly<Record<string, string>>;
  readonly template: string;
  readonly output?: string;
  readonly error?: string;
}

type WrittenAlert = Omit<TemplateAlert, 'startsAt' | 'endsAt'> & { startsAt: string; endsAt: string | null };
type WrittenData = Omit<TemplateData, 'alerts'> & { alerts: readonly WrittenAlert[] };

const { data: written, cases } = measured as unknown as {
  readonly data: Readonly<Record<string, WrittenData>>;
  readonly cases: readonly Case[];
};

function alertOf({ startsAt, endsAt, ...alert }: WrittenAlert): TemplateAlert {
  return { ...alert, startsAt: Date.parse(startsAt), endsAt: endsAt === null ? undefined : Date.parse(endsAt) };
}

function dataOf(name: string): TemplateData {
  const data = written[name];
  assert.ok(data, name);
  return { ...data, alerts: data.alerts.map(alertOf), routeLabelsAreTemplates: name === 'route' };
}

const known = new Map(Object.keys(written).map((name) => [name, dataOf(name)]));

function render({ mode, data = 'plain', files = {}, template }: Case): { output: string } | { error: string } {
  const names = Object.keys(files).sort();
  const templates = Templates.parse(names.map((name) => ({ name, text: files[name] as string })));
  if (!templates.ok) return { error: templates.reason };
  try {
    return { output: templates.value[mode ?? 'text'](template, known.get(data) as TemplateData) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: error.message };
  }
}

for (const group of new Set(cases.map((one) => one.group))) {
  const ofGroup = cases.filter((one) => one.group === group);
  test(`${group}: ${ofGroup.length} templates come out as Alertmanager renders them`, () => {
    for (const one of ofGroup) {
      const expected = one.error === undefined ? { output: one.output } : { error: one.error };
      assert.deepEqual(render(one), expected, JSON.stringify(one.template));
    }
  });
}
