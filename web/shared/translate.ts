export type Values = Readonly<Record<string, string | number>>;

/**
 * Translates by a table of texts: `{name}` is replaced by a value, numbers in the locale's format; `n` chooses between `one
 * || many`.
 */
export function createTranslate<Key extends string>(
  texts: Readonly<Record<Key, string>>,
  locale: string,
): (key: Key, values?: Values) => string {
  // Created at their first use: both take many milliseconds, which would delay the page.
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const isMany = (n: number) => {
    plurals ??= new Intl.PluralRules(locale);
    return plurals.select(n) !== 'one';
  };
  const print = (n: number) => {
    numbers ??= new Intl.NumberFormat(locale);
    return numbers.format(n);
  };
  return (key, values = {}) => {
    const [one = '', many = one] = texts[key].split(' || ');
    const form = typeof values.n === 'number' && isMany(values.n) ? many : one;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? print(value) : (value ?? '');
    });
  };
}
