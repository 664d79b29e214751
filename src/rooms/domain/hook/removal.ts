import { type RecordChange, record } from '../record.ts';
import type { Hook } from './hook.ts';

/** Removes all records of a hook. */
export const hookRemoval = ({ id }: Hook): readonly RecordChange[] => [
  record('hook', id, null),
  record('progress', id, null),
  record('secret', `hook/${id}`, null),
];
