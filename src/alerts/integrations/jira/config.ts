import {
  attribute,
  bool,
  duration,
  type Kind,
  list,
  map,
  object,
  optional,
  template,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../../config/kind.ts';
import type { TextChange } from '../../config/text-change.ts';
import { httpFields } from '../common-fields.ts';
import { type PlainValue, plainValue } from '../http/payload.ts';

export interface JiraField {
  readonly template: string;
  /** Whether updates of an issue write it as well. */
  readonly enableUpdate: boolean;
}

/** A template, or a mapping with a template and whether updates write it. */
function jiraField(standard: string): Kind<JiraField> {
  const fields = object({ template: withDefault(template, standard), enable_update: withDefault(bool, true) });
  return {
    read: (node) =>
      node.shape === 'mapping' ? fields.read(node) : { template: template.read(node), enableUpdate: true },
    print: (field) => (field.enableUpdate ? field.template : fields.print(field)),
    mapTexts: (field, change, place) => ({
      ...field,
      template: change(field.template, { ...place, standard, isProse: true }) ?? '',
    }),
  };
}

/** A field of any type. Left out if any of its templates cannot be rendered: Jira would refuse a text for a number. */
const issueField: Kind<PlainValue> = {
  ...plainValue,
  mapTexts(value, change, place) {
    let isWhole = true;
    const changeOrLeave: TextChange = (source, at) => {
      const changed = change(source, { ...at, isProse: false });
      isWhole &&= changed !== undefined;
      return changed;
    };
    const changed = plainValue.mapTexts?.(value, changeOrLeave, place);
    return isWhole ? changed : undefined;
  },
};

const summary = '{{ template "jira.default.summary" . }}';
const description = '{{ template "jira.default.description" . }}';

export const jiraConfig = object(
  {
    ...httpFields(true),
    api_url: optional(url),
    api_type: withDefault(text, 'auto'),
    project: withDefault(template, ''),
    summary: withDefault(jiraField(summary), { template: summary, enableUpdate: true }),
    description: withDefault(jiraField(description), { template: description, enableUpdate: true }),
    labels: withDefault(list(attribute), []),
    priority: withDefault(attribute, '{{ template "jira.default.priority" . }}'),
    issue_type: withDefault(template, ''),
    reopen_transition: withDefault(text, ''),
    resolve_transition: withDefault(text, ''),
    wont_fix_resolution: withDefault(text, ''),
    reopen_duration: withDefault(duration, 0),
    fields: withDefault(map(issueField), {}),
  },
  ({ project, issueType, apiType }) => {
    if (project === '') return 'missing project in jira_config';
    if (issueType === '') return 'missing issue_type in jira_config';
    if (['auto', 'cloud', 'datacenter'].includes(apiType)) return undefined;
    return 'unknown api_type on jira_config, must be auto, cloud or datacenter';
  },
);

export type JiraConfig = ValueOf<typeof jiraConfig>;
