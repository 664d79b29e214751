import type { Flag } from '../flag.ts';
import type { Json } from '../json.ts';
import type { Reason } from './reason.ts';

/** Shared by all details of a flag. */
export interface FlagTexts {
  readonly flag: Flag;
  /** `"key":{"value":` */
  readonly head: string;
  /** The JSON of each variation. */
  readonly variations: readonly string[];
}

export function textsOf(flag: Flag): FlagTexts {
  return {
    flag,
    head: `${JSON.stringify(flag.key)}:{"value":`,
    variations: flag.variations.map((variation) => JSON.stringify(variation)),
  };
}

/**
 * One of the possible results of a flag: value, variation and reason. All are created when the flag is compiled; each is
 * printed once, at its first use.
 */
export class EvaluationDetail {
  readonly variation: number | null;
  readonly value: Json;
  readonly reason: Reason;
  /** Whether events with it count in an experiment. */
  readonly isExperiment: boolean;
  readonly #texts: FlagTexts;
  #plain: string | undefined;
  #reasoned: string | undefined;

  constructor(texts: FlagTexts, variation: number | null, reason: Reason, isExperiment: boolean) {
    this.variation = variation;
    this.value = variation === null ? null : (texts.flag.variations[variation] ?? null);
    this.reason = reason;
    this.isExperiment = isExperiment;
    this.#texts = texts;
  }

  withReason(reason: Reason): EvaluationDetail {
    return new EvaluationDetail(this.#texts, this.variation, reason, this.isExperiment);
  }

  /** The property in an evalx body, without the closing brace: `"key":{"value":…`. */
  print(withReasons: boolean): string {
    if (!withReasons) {
      this.#plain ??= this.#print(this.isExperiment);
      return this.#plain;
    }
    this.#reasoned ??= this.#print(true);
    return this.#reasoned;
  }

  #print(withReason: boolean): string {
    const { flag, head, variations } = this.#texts;
    const { variation, reason, isExperiment } = this;
    return [
      head,
      variation === null ? 'null' : variations[variation],
      `,"variation":${variation},"version":${flag.version}`,
      flag.trackEvents || isExperiment ? ',"trackEvents":true' : '',
      isExperiment ? ',"trackReason":true' : '',
      withReason ? `,"reason":${JSON.stringify(reason)}` : '',
      flag.debugEventsUntilDate === 0 ? '' : `,"debugEventsUntilDate":${flag.debugEventsUntilDate}`,
    ].join('');
  }
}
