import type { Matcher } from '../domain/matcher/matcher.ts';

/** Values with nothing in common: a pattern that matches all of them is meant to match everything. */
const PROBES = ['', 'x', '0', 'Q-7/ü:é_.~ ', '\u{1f4a5}', ' \t"{}\\', 'long'.repeat(300)];

/** In practice every alert has an alertname, so requiring one excludes nothing. */
const NAME_OF_EVERY_ALERT = 'alertname';

function takesEverything(matcher: Matcher): boolean {
  const isEverywhere = matcher.name === NAME_OF_EVERY_ALERT;
  if (matcher.operator === '=~')
    return PROBES.every((probe) => (isEverywhere && probe === '') || matcher.matches(probe));
  // `!=` and `!~` exclude what they name; with an empty value, the alerts without the label.
  return matcher.operator !== '=' && isEverywhere && matcher.value === '';
}

/**
 * Whether no matcher in the list could exclude an alert: the list is empty, or each matches any value
 * (`instance=~".*"`) or requires only an alertname (`alertname=~".+"`, `alertname!=""`). `team=~".+"` excludes alerts
 * without a team, and `severity!="info"` excludes a severity.
 */
export function matchEverything(matchers: readonly Matcher[]): boolean {
  return matchers.every(takesEverything);
}
