import { compareUtf8 } from '../../domain/label-set.ts';
import { TemplateError } from '../../template/template-error.ts';
import { type PlainValue, renderPlain } from '../http/payload.ts';
import { splitNote } from '../template/note.ts';
import { namingTemplate } from '../template/prefix.ts';
import type { Shorten } from '../truncate.ts';
import type { JiraConfig } from './config.ts';

const MAX_SUMMARY_RUNES = 255;
const MAX_DESCRIPTION_RUNES = 32_767;
const MINUTE_MS = 60_000;

export type Render = (source: string) => string;

/** The label that identifies the issue of a group. */
export function groupLabel(groupHash: string): string {
  return `ALERT{${groupHash}}`;
}

/** The query for the issue of a group: not done, or done recently enough to be reopened. */
export function issueQuery(config: JiraConfig, project: string, groupHash: string, firing: boolean): string {
  const { wontFixResolution, reopenTransition, reopenDuration } = config;
  const conditions: string[] = [];
  // A plain `resolution != X` would leave out issues without a resolution.
  if (wontFixResolution) conditions.push(`(resolution is EMPTY or resolution != ${JSON.stringify(wontFixResolution)})`);
  const minutes = Math.trunc(reopenDuration / MINUTE_MS);
  const reopens = firing && reopenTransition !== '' && minutes > 0;
  conditions.push(
    reopens ? `(resolutiondate is EMPTY OR resolutiondate >= -${minutes}m)` : 'statusCategory != Done',
    `project=${JSON.stringify(project)}`,
    `labels=${JSON.stringify(groupLabel(groupHash))}`,
  );
  return `${conditions.join(' and ')} order by status ASC,resolutiondate DESC`;
}

/** The fields of an issue, sorted by name; configured fields take precedence. */
export function issueFields(
  config: JiraConfig,
  groupHash: string,
  updating: boolean,
  { render, shorten }: { readonly render: Render; readonly shorten: Shorten },
): Readonly<Record<string, unknown>> {
  const named = (field: string, source: string) => namingTemplate(`${field} template`, () => render(source));
  const summary = shorten(named('summary', config.summary.template), MAX_SUMMARY_RUNES, 'summary');
  const project = { key: named('project', config.project) };
  const issuetype = nameOf(named('issue_type', config.issueType));
  const own = namingTemplate('fields template', () => renderFields(config.fields, render));
  const whole = named('description', config.description.template);
  const description = issueDescription(config, shorten(whole, MAX_DESCRIPTION_RUNES, 'description'));
  const labels = config.labels.map((label, index) => named(`labels[${index}]`, label));
  const priority = named('priority', config.priority);
  const fields: Readonly<Record<string, unknown>> = {
    ...(updating && !config.summary.enableUpdate ? {} : { summary }),
    ...(description === undefined || (updating && !config.description.enableUpdate) ? {} : { description }),
    issuetype,
    labels: [...labels, groupLabel(groupHash)].sort(compareUtf8),
    ...(priority === '' ? {} : { priority: nameOf(priority) }),
    project,
    ...own,
  };
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => compareUtf8(a, b)));
}

function nameOf(name: string): Readonly<Record<string, string>> {
  return name === '' ? {} : { name };
}

/** Their names are not templates. */
function renderFields(fields: Readonly<Record<string, PlainValue>>, render: Render): Record<string, PlainValue> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, renderPlain(value, render)]));
}

/** API version 3 requires the Atlassian Document Format, version 2 a text. */
function issueDescription({ apiUrl, description: { template } }: JiraConfig, text: string): unknown {
  if (!/\/3\/*$/.test(new URL(apiUrl ?? '').pathname)) return text === '' ? undefined : text;
  const { body, note } = splitNote(text.trim());
  if (body === '' && note === '') return undefined;
  try {
    return documentOf(body, note);
  } catch {
    throw new TemplateError('description template: invalid JSON for API v3', { source: template });
  }
}

/** The document that is written as JSON, or the paragraphs of any other text. */
function documentOf(body: string, note: string): unknown {
  if (!body.startsWith('{')) return { type: 'doc', version: 1, content: paragraphsOf(`${body}${note}`) };
  const document = JSON.parse(body) as { readonly content?: unknown };
  if (note === '' || !Array.isArray(document.content)) return document;
  return { ...document, content: [...document.content, ...paragraphsOf(note)] };
}

function paragraphsOf(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => ({ type: 'paragraph', content: [{ type: 'text', text: line }] }));
}
