import * as v from 'valibot';

const instant = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/i.test(text) && !Number.isNaN(Date.parse(text)),
    'must be a day such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z',
  ),
  v.transform((text) => Date.parse(text)),
);

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The query of an export: messages created in `[from, to)`. */
export const exportQuerySchema = v.strictObject({
  format: v.optional(v.picklist(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`), 'jsonl'),
  from: v.optional(instant),
  to: v.optional(instant),
});
