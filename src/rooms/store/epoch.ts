import { randomInt } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The name of a new log. */
export const newEpoch = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
