import type { JsonObject, JsonValue } from '../message/message.ts';

/** Checks of cards: bots and imports bring cards of any shape. */
export type Shape = (value: JsonValue | undefined) => boolean;

export const isText: Shape = (value) => typeof value === 'string';
export const isNumber: Shape = (value) => typeof value === 'number';
export const isInstant: Shape = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

export const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);

/** Fields of older cards may be missing. */
export const orMissing =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value);

export const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every((item) => shape(item as JsonValue));

/** Strings by name, such as labels. */
export const isLabels: Shape = (value) => isObject(value) && Object.values(value).every((item) => isText(item));

/** An object with these fields, and perhaps others. */
export const objectOf =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isObject(value) &&
    Object.entries(fields).every(([name, shape]) => shape(Object.hasOwn(value, name) ? value[name] : undefined));

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
