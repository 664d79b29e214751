import type { Kind } from './kind.ts';

/** The place of a text in an integration's configuration. */
export interface TextPlace {
  /** As in the file: `fields[0].title`. */
  readonly path: string;
  /** The value of the field when it is absent; undefined in a list and in a mapping with free names. */
  readonly standard: unknown;
}

/** `isProse`: people read it; other texts must stay a colour, link, tag or the like. */
export type ChangeablePlace = TextPlace & { readonly isProse: boolean };

/** Replaces the text of a place; undefined leaves it out. */
export type TextChange = (source: string, place: ChangeablePlace) => string | undefined;

type Texts<T> = Pick<Kind<T>, 'mapTexts'>;

export const textLeaf = (isProse: boolean): Texts<string> => ({
  mapTexts: (source, change, place) => change(source, { ...place, isProse }),
});

export function optionalTexts<T>({ mapTexts }: Kind<T>): Texts<T | undefined> {
  return mapTexts
    ? { mapTexts: (value, change, place) => (value === undefined ? undefined : mapTexts(value, change, place)) }
    : {};
}

export function listTexts<T>({ mapTexts }: Kind<T>): Texts<readonly T[]> {
  if (!mapTexts) return {};
  return {
    mapTexts: (values, change, { path }) =>
      values.flatMap((value, index) => {
        const changed = mapTexts(value, change, { path: `${path}[${index}]`, standard: undefined });
        return changed === undefined ? [] : [changed];
      }),
  };
}

export function mapTexts<T>({ mapTexts: ofValue }: Kind<T>): Texts<Readonly<Record<string, T>>> {
  if (!ofValue) return {};
  return {
    mapTexts: (values, change, { path }) =>
      Object.fromEntries(
        Object.entries(values).flatMap(([name, value]) => {
          const changed = ofValue(value, change, { path: `${path}.${name}`, standard: undefined });
          return changed === undefined ? [] : [[name, changed]];
        }),
      ),
  };
}

/** One field of a mapping with known names. */
export interface PlannedField {
  readonly name: string;
  readonly camel: string;
  readonly kind: Kind<unknown>;
  readonly absent: unknown;
}

export function objectTexts<T>(plan: readonly PlannedField[]): Texts<T> {
  return {
    mapTexts(values, change, { path }) {
      const changed: Record<string, unknown> = { ...(values as Record<string, unknown>) };
      for (const { name, camel, kind, absent } of plan) {
        const place = { path: path === '' ? name : `${path}.${name}`, standard: absent };
        if (kind.mapTexts) changed[camel] = kind.mapTexts(changed[camel], change, place) ?? absent;
      }
      return changed as T;
    },
  };
}
