import * as v from 'valibot';
import { accepted, refused } from '../../../kernel/outcome.ts';
import { groupHash, type Notification, notificationStatus } from '../../domain/notification.ts';
import { inheritHttp } from '../common-fields.ts';
import { type Attempted, DELIVERED, exchange, failed, failedForGood } from '../deliver.ts';
import { encodeJson } from '../http/payload.ts';
import type { Delivery, HttpClient, HttpRequest, Integration, Notifier, NotifierContext } from '../notifier.ts';
import { appendNote } from '../template/note.ts';
import { namingTemplate } from '../template/prefix.ts';
import { shortener } from '../truncate.ts';
import { type JiraConfig, jiraConfig } from './config.ts';
import { issueFields, issueQuery, type Render } from './issue.ts';

export type { JiraConfig };

export const jiraIntegration: Integration<JiraConfig> = {
  name: 'jira',
  key: 'jira_configs',
  kind: jiraConfig,
  complete(config, global) {
    const apiUrl = config.apiUrl ?? global.jiraApiUrl;
    if (apiUrl === undefined) return refused('no global Jira Cloud URL set');
    return accepted({ ...inheritHttp(config, global), apiUrl });
  },
  create: createJira,
  addNote: (config, note) => ({
    ...config,
    description: { ...config.description, template: appendNote(config.description.template, note) },
  }),
};

const issueSchema = v.object({
  key: v.string(),
  fields: v.optional(
    v.nullable(
      v.object({ status: v.optional(v.nullable(v.object({ statusCategory: v.object({ key: v.string() }) }))) }),
    ),
  ),
});
const searchSchema = v.object({ issues: v.optional(v.nullable(v.array(issueSchema))) });
const transitionsSchema = v.object({
  transitions: v.optional(v.nullable(v.array(v.object({ id: v.string(), name: v.string() })))),
});
const anything = v.unknown();

type Issue = v.InferOutput<typeof issueSchema>;

/** One call of the API. */
interface Call<T> {
  readonly method: HttpRequest['method'];
  readonly url: string;
  readonly body?: unknown;
  readonly answer: v.GenericSchema<unknown, T>;
}
type Ask = <T>(call: Call<T>) => Promise<Attempted<T>>;

/**
 * Searches the issue of the group, writes it, and moves it if its status must change. After a kill in between, the next
 * search finds the issue; it is written again with the same fields, and moved.
 */
function createJira(config: JiraConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const render: Render = (source) => context.templates.text(source, data);
      const ask: Ask = (call) => askJira(http, call, signal);
      const found = await findIssue(config, notification, render, ask);
      if (!found.ok) return prefixed('failed to look up existing issues', found.failure);
      const issue = found.value;
      const firing = notificationStatus(notification.alerts) === 'firing';
      if (!issue && !firing) return DELIVERED;
      const transition = dueTransition(config, issue, firing);
      const shorten = shortener(context.log, { integration: 'jira', group_key: notification.groupKey });
      const fields = issueFields(config, groupHash(notification), issue !== undefined, { render, shorten });
      const written = await writeIssue(config, issue, fields, ask);
      return written.ok && issue && transition ? moveIssue(config, issue, transition, ask) : written;
    },
  };
}

function prefixed(prefix: string, failure: Delivery): Delivery {
  return failure.ok ? failure : { ...failure, error: `${prefix}: ${failure.error}` };
}

async function askJira<T>(http: HttpClient, call: Call<T>, signal: AbortSignal): Promise<Attempted<T>> {
  const { method, url, body } = call;
  const headers = { 'content-type': 'application/json', 'accept-language': 'en' };
  const content = body === undefined ? {} : { body: encodeJson(body) };
  const sent = await exchange(http, { method, url, headers, ...content, signal }, { retryStatuses: [429] });
  if (!sent.ok) return sent;
  const read = v.safeParse(call.answer, readJson(sent.value.text));
  if (read.success) return accepted(read.output);
  return failed(failedForGood('the answer is not what the Jira API describes'));
}

/** Undefined for an answer that is not JSON, such as the empty one to an update. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A path below the API's URL. */
function apiPath({ apiUrl = '' }: JiraConfig, path: string): string {
  const url = new URL(apiUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}

/** Jira Cloud no longer has the search that Jira Data Center has. */
function searchUrl(config: JiraConfig): string {
  const { apiType, apiUrl = '' } = config;
  const isCloud = apiType === 'cloud' || (apiType === 'auto' && new URL(apiUrl).host.endsWith('atlassian.net'));
  if (!isCloud) return apiPath(config, 'search');
  return apiPath(config, 'search/jql').replace('/rest/api/2/', '/rest/api/3/');
}

async function findIssue(
  config: JiraConfig,
  notification: Notification,
  render: Render,
  ask: Ask,
): Promise<Attempted<Issue | undefined>> {
  const firing = notificationStatus(notification.alerts) === 'firing';
  const project = namingTemplate('invalid project template or value', () => render(config.project));
  const jql = issueQuery(config, project, groupHash(notification), firing);
  const body = { fields: ['status'], jql, maxResults: 2 };
  const found = await ask({ method: 'POST', url: searchUrl(config), body, answer: searchSchema });
  if (!found.ok) return failed(prefixed('HTTP request to JIRA API', found.failure));
  return accepted(found.value.issues?.[0]);
}

/** Creates an issue, or updates the existing one. */
async function writeIssue(config: JiraConfig, issue: Issue | undefined, fields: unknown, ask: Ask): Promise<Delivery> {
  const method = issue ? 'PUT' : 'POST';
  const path = issue ? `issue/${issue.key}` : 'issue';
  const written = await ask({ method, url: apiPath(config, path), body: { fields }, answer: anything });
  if (written.ok) return DELIVERED;
  return prefixed(`failed to ${method} request to ${JSON.stringify(path)}`, written.failure);
}

/** The configured transition that reopens a done issue, or resolves one whose alerts are resolved. */
function dueTransition(config: JiraConfig, issue: Issue | undefined, firing: boolean): string | undefined {
  const status = issue?.fields?.status;
  if (!status) return undefined;
  const isDone = status.statusCategory.key === 'done';
  const name = firing ? config.reopenTransition : config.resolveTransition;
  return isDone === firing && name !== '' ? name : undefined;
}

async function moveIssue(config: JiraConfig, { key }: Issue, transition: string, ask: Ask): Promise<Delivery> {
  const url = apiPath(config, `issue/${key}/transitions`);
  const found = await ask({ method: 'GET', url, answer: transitionsSchema });
  if (!found.ok) return found.failure;
  const known = found.value.transitions?.find(({ name }) => name === transition);
  if (!known) return failedForGood(`can't find transition ${transition} for issue ${key}`);
  const body = { transition: { id: known.id } };
  const moved = await ask({ method: 'POST', url, body, answer: anything });
  return moved.ok ? DELIVERED : moved.failure;
}
