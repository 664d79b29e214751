import { messageOf } from '../../../kernel/errors.ts';
import type { ChangeablePlace, TextChange } from '../../config/text-change.ts';
import type { Notification } from '../../domain/notification.ts';
import { quoteGo } from '../../domain/quote.ts';
import { TemplateError } from '../../template/template-error.ts';
import type { Delivery, HttpClient, Integration, Notifier, NotifierContext } from '../notifier.ts';
import { truncateRunes } from '../truncate.ts';
import { appendNote, literalTemplate, noteOf } from './note.ts';

/** In characters. It is sent, logged and stored. */
const MAX_ERROR = 500;
/** Alert names in the words for a text without a default. */
const MAX_NAMES = 10;

/**
 * The notifier of an integration, which also notifies when templates of `prose` or an `attribute` cannot be rendered: with
 * the defaults of these fields, or with plain words on the alerts, and once with the error. A template of an address (kind
 * `template`: URL, channel, recipient, key, header) that fails is thrown as a TemplateError: a guess might reach the wrong
 * person.
 */
export function createTolerantNotifier<C>(integration: Integration<C>, config: C, context: NotifierContext): Notifier {
  const clients: HttpClient[] = [];
  /** As `context`, but with the connections of the first notifier: `create` opens them in the same order. */
  const sharing = (): NotifierContext => {
    let opened = 0;
    const openHttp: NotifierContext['openHttp'] = (http) => {
      const client = clients[opened] ?? context.openHttp(http);
      clients[opened++] = client;
      return client;
    };
    // Not a spread, which would read the external URL before it is known.
    return Object.create(context, { openHttp: { value: openHttp } }) as NotifierContext;
  };
  const strict = integration.create(config, sharing());
  /** For the later attempts at a notification. */
  const repairs = new WeakMap<Notification, Repair>();
  return {
    async notify(notification, signal) {
      let repair = repairs.get(notification);
      try {
        if (!repair) return await strict.notify(notification, signal);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        const repaired = repairTemplates(integration, config, { notification, context, error });
        if (!repaired) throw error;
        const notifier = integration.create(repaired.config, sharing());
        repair = { notifier, templateError: repaired.templateError };
        repairs.set(notification, repair);
      }
      const delivery: Delivery = await repair.notifier.notify(notification, signal);
      return { ...delivery, templateError: repair.templateError };
    },
  };
}

interface Repair {
  readonly notifier: Notifier;
  readonly templateError: string;
}

interface Failure {
  readonly notification: Notification;
  readonly context: NotifierContext;
  /** The first error of the notification. */
  readonly error: TemplateError;
}

/** The configuration with other texts for those that fail; undefined if none does. */
function repairTemplates<C>(integration: Integration<C>, config: C, failure: Failure) {
  const { mapTexts } = integration.kind;
  const failed = new Map<string, string>();
  const change = substitute(failure, (path, error) => failed.set(path, error));
  const changed = mapTexts?.(config, change, { path: '', standard: undefined });
  const [first] = failed.keys();
  if (changed === undefined || first === undefined) return undefined;
  const errors = [...failed].map(([path, error]) => `${JSON.stringify(path)}: ${error}`);
  const templateError = truncateRunes(errors.join('; '), MAX_ERROR);
  return { config: withNote(integration, changed, noteOf(templateError), first), templateError };
}

function withNote<C>({ addNote, kind }: Integration<C>, config: C, note: string, first: string): C {
  const literal = literalTemplate(note);
  if (addNote) return addNote(config, literal);
  const append: TextChange = (source, { path }) => (path === first ? appendNote(source, literal) : source);
  return kind.mapTexts?.(config, append, { path: '', standard: undefined }) ?? config;
}

/** Returns what stands in the place of a text, and reports each that fails. */
function substitute(
  { notification, context, error }: Failure,
  report: (path: string, error: string) => void,
): TextChange {
  const data = context.dataOf(notification);
  const errorOf = (source: string, modes: readonly ('text' | 'html')[]): string | undefined => {
    // Not rendered again: it may have taken seconds, or fail only where HTML is written.
    if (source === error.details.source) return error.message;
    try {
      for (const mode of modes) context.templates[mode](source, data);
      return undefined;
    } catch (caught) {
      if (caught instanceof TemplateError) return messageOf(caught);
      throw caught;
    }
  };
  return (source: string, { path, standard, isProse }: ChangeablePlace) => {
    const found = errorOf(source, ['text']);
    if (found === undefined) return source;
    report(path, found);
    const hasStandard = typeof standard === 'string' && standard !== '';
    // In HTML too: whether the text stands there is not known here.
    if (hasStandard && errorOf(standard, ['text', 'html']) === undefined) return standard;
    if (isProse) return literalTemplate(describeGroup(notification));
    return standard === undefined ? undefined : '';
  };
}

/** `"Down", "Slow" (2 firing, 1 resolved) in the group {}:{cluster="a"}`; the quotes keep it a text where YAML is read. */
function describeGroup({ alerts, groupKey }: Notification): string {
  const firing = alerts.filter(({ status }) => status === 'firing').length;
  const counts = [firing > 0 && `${firing} firing`, firing < alerts.length && `${alerts.length - firing} resolved`];
  const names = [...new Set(alerts.map(({ labels }) => quoteGo(labels.alertname ?? '')))];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const shown = `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
  return `${shown} (${counts.filter(Boolean).join(', ')}) in the group ${groupKey}`;
}
