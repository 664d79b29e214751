/** The value of a cookie in the header `Cookie`; undefined if it is absent or empty. */
export function cookieOf(cookies: string | undefined, name: string): string | undefined {
  const pair = (cookies ?? '').split(/; */).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) || undefined;
}
