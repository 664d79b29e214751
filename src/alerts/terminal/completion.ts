import {
  type Candidate,
  COMPLETION_TIMEOUT_MS,
  type CompletionRequest,
  type CompletionSources,
} from '../../kernel/terminal/completion.ts';
import type { AlertmanagerClient } from './client.ts';

async function clientOf({ options, terminal }: CompletionRequest): Promise<AlertmanagerClient> {
  const { AlertmanagerClient } = await import('./client.ts');
  return new AlertmanagerClient({ ...options, timeout: `${COMPLETION_TIMEOUT_MS}ms` }, terminal);
}

/** Names of labels, and after an operator the values of one; as the first word also names of alerts. */
async function completeLabels(request: CompletionRequest): Promise<readonly Candidate[]> {
  const { word, index } = request;
  const alerts = await (await clientOf(request)).alerts({});
  const [, name, operator] = /^([\w:]+)(=~|!~|!=|=)/.exec(word) ?? [];
  const valuesOf = (label: string) => [...new Set(alerts.flatMap(({ labels }) => labels[label] ?? []))].sort();
  if (name !== undefined) return valuesOf(name).map((value) => ({ value: `${name}${operator}${value}` }));
  const names = [...new Set(alerts.flatMap(({ labels }) => Object.keys(labels)))].sort();
  return [
    ...names.map((value) => ({ value: `${value}=`, isOpen: true })),
    ...(index === 0 ? valuesOf('alertname').map((value) => ({ value, description: 'alert' })) : []),
  ];
}

/** The ids of silences that are not over, with their matchers and comment. */
async function completeSilences(request: CompletionRequest): Promise<readonly Candidate[]> {
  const silences = await (await clientOf(request)).silences({ expired: false });
  const { formatMatcher } = await import('./matcher-argument.ts');
  return silences
    .filter(({ status }) => status.state !== 'expired')
    .map(({ id, matchers, comment }) => ({
      value: id,
      description: `${matchers.map(formatMatcher).join(' ')}: ${comment}`,
    }));
}

export const ALERT_COMPLETIONS: CompletionSources = {
  labels: completeLabels,
  matchers: completeLabels,
  ids: completeSilences,
  id: completeSilences,
};
