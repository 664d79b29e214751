import { hostname } from 'node:os';
import { CommandError, ExitCode, messageOf } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { AlertmanagerConfig, ReceiverConfig } from '../../config/alertmanager-config.ts';
import { RouteTree } from '../../domain/route.ts';
import { loadTemplates } from '../../template/load-templates.ts';
import { parseAnnotations, parseLabels } from '../matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson } from '../output.ts';
import { parseSpan } from '../time-argument.ts';
import { drillNotification, routeTo } from './drill.ts';
import { type LocalConfigOptions, readConfigFile } from './local-config.ts';
import { rehearse, type Stage } from './rehearsal.ts';
import { printTranscript, type Transcript } from './transcript.ts';

export interface TestReceiverOptions extends LocalConfigOptions, OutputOptions {
  readonly 'config.file': string;
  readonly annotation?: readonly string[];
  readonly dryRun?: boolean;
  readonly resolved?: boolean;
  readonly 'web.externalUrl'?: string;
  readonly timeout: string;
}

function findReceiver({ receivers }: AlertmanagerConfig, wanted: string): ReceiverConfig {
  const receiver = receivers.find(({ name }) => name === wanted);
  if (receiver) return receiver;
  const names = receivers.map(({ name }) => printable(name)).join(', ');
  throw new CommandError(`no receiver is called ${printable(wanted)}; there are ${names}`, ExitCode.usage);
}

function parseExternalUrl(text: string | undefined): string {
  if (text === undefined) return `http://${hostname()}:9093`;
  if (/^https?:/i.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new CommandError(`--web.external-url: "${printable(text)}" is no http or https URL`, ExitCode.usage);
}

async function openStage(
  config: AlertmanagerConfig,
  receiver: string,
  args: readonly string[],
  options: TestReceiverOptions,
  terminal: Terminal,
): Promise<Stage> {
  const labels = parseLabels(args);
  const annotations = parseAnnotations(options.annotation ?? []);
  const externalUrl = parseExternalUrl(options['web.externalUrl']);
  const timeoutMs = parseSpan(options.timeout, '--timeout');
  const templates = await loadTemplates(config.templates, { clock: terminal.clock });
  if (!templates.ok) throw new CommandError(templates.reason, ExitCode.usage);
  const notification = drillNotification(
    {
      receiver,
      labels,
      annotations,
      isResolved: options.resolved === true,
      externalUrl,
      now: terminal.clock.now(),
      templates: templates.value,
      routeLabelFailed: (label, error) =>
        terminal.err(`route label ${printable(label)}: ${printable(messageOf(error))}\n`),
    },
    routeTo(receiver, new RouteTree(config.route)),
  );
  return {
    notification,
    templates: templates.value,
    externalUrl,
    isDryRun: options.dryRun === true,
    environment: config,
    timeoutMs,
    terminal,
  };
}

/** `alerts test-receiver`: sends a drill through every integration of a receiver and shows requests and answers. */
export async function testReceiver(
  name: string,
  args: readonly string[],
  options: TestReceiverOptions,
  terminal: Terminal,
): Promise<void> {
  const config = await readConfigFile(options['config.file'], options, terminal);
  const receiver = findReceiver(config, name);
  const stage = await openStage(config, name, args, options, terminal);
  const isJson = formatOf(options) === 'json';
  const transcripts: Transcript[] = [];
  // One after the other, so that the output is in order.
  for (const configured of receiver.integrations) {
    const transcript = await rehearse(configured, stage);
    transcripts.push(transcript);
    if (!isJson) terminal.out(printTranscript(transcript, colorsOf(terminal)));
  }
  if (isJson) printJson(terminal, transcripts);
  else if (transcripts.length === 0) terminal.out(`${printable(name)} has no integration: nothing is sent\n`);
  const failed = transcripts.filter(({ result }) => result === 'failed').length;
  if (failed > 0) throw new CommandError(`${failed} of ${transcripts.length} deliveries failed`);
}
