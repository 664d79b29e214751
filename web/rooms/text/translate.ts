import type { Values } from '../../shared/translate.ts';
import type { TextKey } from './en.ts';

export type Translate = (key: TextKey, values?: Values) => string;
