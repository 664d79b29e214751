// Loaded at the first refusal that a reader of German meets, see text/text.ts.
export { germanRefusal } from './text/refusal-german.ts';
