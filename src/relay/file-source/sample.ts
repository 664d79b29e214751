import sample from '../../../data/sample/flags.yml';

/** Stands for a path: the flags that the program brings along. */
export const SAMPLE_FLAGS = 'sample:flags.yml';

/** The text of the sample. */
export const sampleFlags: string = sample;
