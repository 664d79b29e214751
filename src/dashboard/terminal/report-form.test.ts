import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReportFormat, reportPrinters } from './report-form.ts';

const NAME = 'gpt\x1b]0;owned\x07\u009b2J\u202e|`';

for (const format of ['table', 'json', 'md', 'csv'] satisfies readonly ReportFormat[]) {
  test(`a report as ${format}: the name of a model commands no terminal`, () => {
    const report = {
      by: 'model' as const,
      from: undefined,
      to: undefined,
      rows: [{ names: { model: NAME, family: 'x' }, requests: 1, tokens: 2, costCents: 3 }],
      total: { requests: 1, tokens: 2, costCents: 3 },
    };
    const text = reportPrinters[format](report as never, false);
    assert.match(text, /^[\n -~]+$/);
    assert.match(text, /owned/);
  });
}
