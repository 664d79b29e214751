import type { EnvironmentOptions } from '../config/relay-options.ts';
import { sdkExamples } from '../sdk-examples.ts';

/** Code to connect SDKs to an environment of flag files. */
export function printSnippet(
  url: string,
  { sdkKey, mobileKey = '', envId = '' }: Pick<EnvironmentOptions, 'sdkKey' | 'mobileKey' | 'envId'>,
  isSample: boolean,
): string {
  const examples = sdkExamples(url, { sdkKey, envId });
  return `Serving ${isSample ? 'a sample of flags' : 'flags'} at ${url}, with a page for browsers

  SDK key      ${sdkKey}
  mobile key   ${mobileKey}
  client id    ${envId}

${examples.map(({ title, code }) => `${title}:\n${code.replace(/^/gm, '  ')}\n`).join('\n')}${isSample ? `\nFlags of your own:\n  opsdeck relay sample > flags.yml\n  opsdeck relay serve --flags flags.yml\n` : ''}
`;
}
