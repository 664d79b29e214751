import * as v from 'valibot';
import { readInstant } from '../../domain/instant.ts';

const instant = v.pipe(
  v.string(),
  v.transform(readInstant),
  v.number('must be a day such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z'),
);

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The query of an export: messages created in `[from, to)`, with `files` also the bytes of their attachments. */
export const exportQuerySchema = v.strictObject({
  format: v.optional(v.picklist(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(', ')}`), 'jsonl'),
  files: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
    v.transform((value) => value === 'true'),
  ),
  from: v.optional(instant),
  to: v.optional(instant),
});
