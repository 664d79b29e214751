import { compareUtf8 } from '../domain/label-set.ts';
import { quoteGo } from '../domain/quote.ts';
import { INTEGRATIONS } from '../integrations/integrations.ts';
import type { CommonConfig, Integration } from '../integrations/notifier.ts';
import { ConfigFault } from './config-node.ts';
import { resolveIntegrationFiles } from './file-path.ts';
import type { GlobalConfig } from './global-config.ts';
import {
  type Field,
  type Kind,
  type Located,
  list,
  located,
  map,
  object,
  optional,
  type Redact,
  readAll,
  text,
  withDefault,
} from './kind.ts';

/** A receiver with its integrations. */
export interface ReceiverConfig {
  readonly name: string;
  /** Always with the label `name`; sorted by name. */
  readonly labels: Readonly<Record<string, string>>;
  readonly integrations: readonly ReceiverIntegration[];
}

export interface ReceiverIntegration {
  readonly integration: Integration;
  /** Its index among the receiver's integrations of its kind. */
  readonly index: number;
  /** Completed from the global part. */
  readonly config: unknown;
  readonly sendResolved: boolean;
}

/** A receiver as the file has it. */
export interface RawReceiver {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly integrations: readonly (Located<unknown> & { readonly integration: Integration; readonly index: number })[];
}

const baseFields = { name: withDefault(text, ''), labels: optional(map(text)) };

const listFields = Object.fromEntries(
  INTEGRATIONS.map(({ key, name, kind }): [string, Field<readonly Located<unknown>[]>] => [
    key,
    withDefault(list(located(kind), `missing ${name} config`), []),
  ]),
);

const camelKeys = INTEGRATIONS.map((integration) => ({
  integration,
  field: integration.key.replace(/_c/, 'C') as keyof typeof listFields,
}));

const fields = object({ ...baseFields, ...listFields }, ({ name, labels }) => {
  if (name === '') return 'missing name in receiver';
  const label = labels?.name;
  if (label === undefined || label === name) return undefined;
  const message = `receiver label "name" must match receiver name ${quoteGo(name)}, got ${quoteGo(label)}`;
  return { field: 'labels', message };
});

export const rawReceiver: Kind<Located<RawReceiver>> = located({
  read(node) {
    const values = fields.read(node);
    const lists = values as unknown as Readonly<Record<string, readonly Located<unknown>[]>>;
    return {
      name: values.name,
      labels: sortedByName({ ...values.labels, name: values.name }),
      integrations: camelKeys.flatMap(({ integration, field }) =>
        (lists[field] ?? []).map((item, index) => ({ ...item, integration, index })),
      ),
    };
  },
  print: () => undefined,
});

/** In the order of Go's output. */
function sortedByName(labels: ReceiverConfig['labels']): ReceiverConfig['labels'] {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => compareUtf8(a, b)));
}

/** Completes the integrations of a receiver; throws a ConfigFault with all problems. */
export function completeReceiver(raw: RawReceiver, global: GlobalConfig, folder: string): ReceiverConfig {
  const complete = ({ value, line, integration, index }: RawReceiver['integrations'][number]) => {
    const completed = integration.complete(value, global);
    if (!completed.ok) throw new ConfigFault([{ line, message: completed.reason }]);
    const config = resolveIntegrationFiles(completed.value, global, folder);
    return { integration, index, config, sendResolved: (config as CommonConfig).sendResolved };
  };
  const integrations = readAll(raw.integrations.map((item) => () => complete(item)));
  return { name: raw.name, labels: raw.labels, integrations };
}

/** As in the file, completed from the global part. */
export function printReceiver({ name, labels, integrations }: ReceiverConfig, redact: Redact): unknown {
  const printed: Record<string, unknown> = { name: redact(name) };
  // Every receiver has the label `name`, and older versions know no labels.
  if (Object.keys(labels).length > 1) printed.labels = map(text).print(labels, redact);
  for (const { integration, config } of integrations) {
    const others = (printed[integration.key] ?? []) as unknown[];
    printed[integration.key] = [...others, integration.kind.print(config, redact)];
  }
  return printed;
}
