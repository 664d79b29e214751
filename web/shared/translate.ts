export type Values = Readonly<Record<string, string | number>>;

/**
 * Translates by a table of texts: `{name}` is replaced by a value, numbers in the locale's format; `n` chooses between `one
 * || many`.
 */
export function createTranslate<Key extends string>(
  texts: Readonly<Record<Key, string>>,
  locale: string,
): (key: Key, values?: Values) => string {
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (key, values = {}) => {
    const [one = '', many = one] = texts[key].split(' || ');
    const form = typeof values.n === 'number' && plurals.select(values.n) !== 'one' ? many : one;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? numbers.format(value) : (value ?? '');
    });
  };
}
