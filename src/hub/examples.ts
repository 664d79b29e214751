// Shell commands to copy, with the address of their server.

export const alertsExample = (url: string): string =>
  `opsdeck alerts add alertname=DiskFull severity=critical --annotation summary="/var is at 97 %" --url ${url}`;

export const relayExample = (url: string, flag: string): string =>
  `opsdeck relay eval ${flag} --context '{"key": "ada"}' --explain --url ${url}`;

export const dashboardExample = (url: string): string =>
  `curl -s ${url}/sample/usage-events-info.csv | opsdeck dashboard report - --by model`;

/** With sign-in the reader fills in a token: the page must not show one. */
export function roomsExample(url: string, auth: 'none' | 'token'): string {
  const token = auth === 'token' ? 'export OPSDECK_ROOMS_TOKEN=odr_… && ' : '';
  return `${token}opsdeck rooms say "$(opsdeck rooms new Builds --url ${url})" "tests passed" --url ${url}`;
}
