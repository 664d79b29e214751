import type { AlertmanagerConfig } from '../../config/alertmanager-config.ts';
import { HIDDEN } from '../../config/kind.ts';
import { templateFault } from '../../template/templates.ts';
import type { DrawnRoute } from './route-drawing.ts';

/** Fields that are not templates. */
const NO_TEMPLATES = new Set(['http_config', 'tls_config', 'sigv4', 'name']);

interface Found {
  /** Such as `slack_configs[0].fields[1].title`. */
  readonly place: string;
  readonly text: string;
}

/** The texts of a printed configuration, without secrets. */
function* textsOf(printed: unknown, place: string): Generator<Found> {
  if (typeof printed === 'string') {
    if (printed !== HIDDEN) yield { place, text: printed };
  } else if (Array.isArray(printed)) {
    for (const [i, item] of printed.entries()) yield* textsOf(item, `${place}[${i}]`);
  } else if (typeof printed === 'object' && printed !== null) {
    for (const [name, item] of Object.entries(printed)) {
      if (!NO_TEMPLATES.has(name)) yield* textsOf(item, `${place}.${name}`);
    }
  }
}

function* templatesOf({ receivers, route }: AlertmanagerConfig): Generator<Found> {
  for (const { name, integrations } of receivers) {
    for (const { integration, index, config } of integrations) {
      yield* textsOf(integration.kind.print(config), `receiver ${name}: ${integration.key}[${index}]`);
    }
  }
  yield* routeTemplatesOf(route);
}

interface LabelledRoute extends DrawnRoute {
  readonly labels: Readonly<Record<string, string>>;
  readonly routes: readonly LabelledRoute[];
}

function* routeTemplatesOf({ receiver, labels, routes }: LabelledRoute): Generator<Found> {
  yield* textsOf(labels, `route to ${receiver}: labels`);
  for (const route of routes) yield* routeTemplatesOf(route);
}

/**
 * The problems of the templates within the configuration, one line each. Alertmanager reports them only when it notifies.
 */
export function templateProblems(config: AlertmanagerConfig): string[] {
  const problems = new Set<string>();
  for (const { place, text } of templatesOf(config)) {
    if (!text.includes('{{')) continue;
    const fault = templateFault(text);
    if (fault !== undefined) problems.add(`${place}: ${fault}`);
  }
  return [...problems];
}
