import { type SinkAnswer, type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';

export interface JiraIssue {
  readonly key: string;
  readonly labels: readonly string[];
  readonly isDone: boolean;
  readonly description: string;
}

/** The requests of opsdeck to Jira. */
export type JiraStep = 'search' | 'create' | 'update' | 'transitions' | 'transition';

/** Undefined: that of Jira itself. */
type JiraAnswer = SinkAnswer | undefined;

export interface JiraSink {
  /** Of version 2 of the API. */
  readonly url: string;
  readonly issues: readonly JiraIssue[];
  readonly steps: readonly JiraStep[];
}

const TRANSITIONS = [
  { id: '11', name: 'Close' },
  { id: '12', name: 'Reopen' },
];

/**
 * A Jira that keeps its issues, with the transitions Close and Reopen. Requests take effect first; then `answer` may put
 * another answer in place of its own.
 */
export async function startJiraSink(
  t: Cleanup,
  answer: (step: JiraStep, issue: JiraIssue | undefined) => JiraAnswer | Promise<JiraAnswer> = () => undefined,
): Promise<JiraSink> {
  const issues: JiraIssue[] = [];
  const steps: JiraStep[] = [];
  const change = (key: string | undefined, to: Partial<JiraIssue>) => {
    const index = issues.findIndex((issue) => issue.key === key);
    const known = issues[index];
    if (known) issues[index] = { ...known, ...to };
    return issues[index];
  };
  const { url } = await startHttpSink(t, (request) => {
    const step = stepOf(request);
    const asked = request.method === 'GET' ? {} : (request.json as Asked);
    const [, key = `OPS-${issues.length + 1}`] = /\/issue\/([^/]+)/.exec(request.path) ?? [];
    if (step === 'create') issues.push({ key, isDone: false, labels: [], description: '' });
    const { labels = [], description = '' } = asked.fields ?? {};
    if (step === 'create' || step === 'update') change(key, { labels, description });
    if (step === 'transition') change(key, { isDone: asked.transition?.id === '11' });
    steps.push(step);
    const own = {
      search: { issues: search(issues, asked.jql ?? '') },
      transitions: { transitions: TRANSITIONS },
      create: { key },
    };
    const status = { search: 200, transitions: 200, create: 201, update: 204, transition: 204 }[step];
    const body = step in own ? JSON.stringify(own[step as keyof typeof own]) : '';
    const given = answer(step, change(key, {}));
    return given instanceof Promise ? given.then((late) => late ?? { status, body }) : (given ?? { status, body });
  });
  return { url: `${url}/rest/api/2`, issues, steps };
}

interface Asked {
  readonly jql?: string;
  readonly fields?: { readonly labels?: readonly string[]; readonly description?: string };
  readonly transition?: { readonly id: string };
}

function stepOf({ method, path }: SinkRequest): JiraStep {
  if (path.endsWith('/search')) return 'search';
  if (path.endsWith('/transitions')) return method === 'GET' ? 'transitions' : 'transition';
  return method === 'PUT' ? 'update' : 'create';
}

/** The issues with the label of the query; only open ones if the query requires it. */
function search(issues: readonly JiraIssue[], jql: string): readonly unknown[] {
  const [, label = ''] = /labels="([^"]+)"/.exec(jql) ?? [];
  return issues
    .filter(({ labels, isDone }) => labels.includes(label) && !(isDone && jql.includes('statusCategory != Done')))
    .sort((a, b) => Number(a.isDone) - Number(b.isDone))
    .map(({ key, isDone }) => ({ key, fields: { status: { statusCategory: { key: isDone ? 'done' : 'new' } } } }));
}
