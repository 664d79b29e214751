import { type RecordChange, record } from '../record.ts';
import type { Hook } from './hook.ts';

/** All that is kept of a hook goes with it. */
export const hookRemoval = ({ id }: Hook): readonly RecordChange[] => [
  record('hook', id, null),
  record('progress', id, null),
  record('secret', `hook/${id}`, null),
];
