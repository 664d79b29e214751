import type { Clause, Rollout } from '../../../src/relay/domain/flag.ts';
import type { TextKey } from '../text/en.ts';
import { english } from '../text/en.ts';
import type { Translate } from '../text/translate.ts';

/** A clause in words: `user email` `ends with` `"@example.org"`. */
export interface ClauseWords {
  readonly subject: string;
  readonly operator: string;
  /** JSON, of at most MAX_VALUES. */
  readonly values: readonly string[];
  /** Values beyond. */
  readonly more: number;
}

const MAX_VALUES = 12;

export function clauseWords({ contextKind, attribute, op, values, negate }: Clause, t: Translate): ClauseWords {
  const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const kind = contextKind === '' ? 'user' : contextKind;
  // Segments are about the whole context.
  const subject = op === 'segmentMatch' ? '' : attribute === 'kind' ? 'context kind' : `${kind} ${attribute}`;
  return {
    subject,
    operator: operatorWords(op, values.length, negate, t),
    values: shown,
    more: values.length - shown.length,
  };
}

function operatorWords(op: string, count: number, negate: boolean, t: Translate): string {
  const many = op === 'in' && count > 1 ? '.many' : '';
  const not = negate ? '.not' : '';
  const key = `op.${op}${many}${not}`;
  return key in english ? t(key as TextKey) : t(`op.unknown${not}`, { op });
}

/** By which attribute of which kind of context a rollout splits; undefined for the key of a user. */
export function rolloutWords({ kind, contextKind, bucketBy }: Rollout, t: Translate): string | undefined {
  const isExperiment = kind === 'experiment';
  const attribute = isExperiment || bucketBy === '' ? 'key' : bucketBy;
  const by = `${contextKind === '' ? 'user' : contextKind} ${attribute}`;
  if (isExperiment) return t('rule.experiment', { by });
  return by === 'user key' ? undefined : t('rule.by', { by });
}
