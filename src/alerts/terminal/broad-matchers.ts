import type { Matcher } from '../domain/matcher.ts';

/** Values that have nothing in common: a pattern that takes all of them was meant to take everything. */
const PROBES = ['', 'x', '0', 'Q-7/ü:é_.~ ', '\u{1f4a5}', ' \t"{}\\', 'long'.repeat(300)];

/** Every alert of practice has an alertname, so that its being there excludes nothing. */
const NAME_OF_EVERY_ALERT = 'alertname';

function takesEverything(matcher: Matcher): boolean {
  const isEverywhere = matcher.name === NAME_OF_EVERY_ALERT;
  if (matcher.operator === '=~')
    return PROBES.every((probe) => (isEverywhere && probe === '') || matcher.matches(probe));
  // `!=` and `!~` exclude what they name; naming nothing, they exclude the alerts without the label.
  return matcher.operator !== '=' && isEverywhere && matcher.value === '';
}

/**
 * Whether no matcher in the list could exclude an alert: there is none, or each is a pattern that takes any value
 * (`instance=~".*"`), or asks only that there be an alertname (`alertname=~".+"`, `alertname!=""`). `team=~".+"` is
 * not of that kind, since it leaves out the alerts without a team; nor is `severity!="info"`.
 */
export function matchEverything(matchers: readonly Matcher[]): boolean {
  return matchers.every(takesEverything);
}
