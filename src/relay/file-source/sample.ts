import sample from '../../../data/sample/flags.yml';

/** Used in place of a path for the built-in sample flags. */
export const SAMPLE_FLAGS = 'sample:flags.yml';

export const sampleFlags: string = sample;
