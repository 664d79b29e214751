export type Values = Readonly<Record<string, string | number>>;

/**
 * Translates by a table of texts: `{name}` is replaced by a value, numbers in the locale's format; `n` chooses between `one
 * || many`.
 */
export function createTranslate<Key extends string>(
  texts: Readonly<Record<Key, string>>,
  locale: string,
): (key: Key, values?: Values) => string {
  // Created for the first number that needs it: that takes many milliseconds, which would delay the page.
  let numbers: Intl.NumberFormat | undefined;
  const print = (n: number) => {
    if (Number.isInteger(n) && n >= 0 && n < 1000) return String(n);
    numbers ??= new Intl.NumberFormat(locale);
    return numbers.format(n);
  };
  return (key, values = {}) => {
    const [one = '', many = one] = texts[key].split(' || ');
    // The plural rule of English and German.
    const form = typeof values.n === 'number' && values.n !== 1 ? many : one;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? print(value) : (value ?? '');
    });
  };
}
