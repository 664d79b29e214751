import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { AlertmanagerConfig, ReceiverConfig } from '../../config/alertmanager-config.ts';
import type { Notification } from '../../domain/notification.ts';
import { DELIVERED, failedForGood } from '../../integrations/deliver.ts';
import { type EmailConfig, renderMail } from '../../integrations/email/email.ts';
import { createHttpClient, type OpenHttpClient } from '../../integrations/http/client.ts';
import type { Delivery, NotifierContext, TemplateRenderer } from '../../integrations/notifier.ts';
import { readSecretFile } from '../../integrations/secret-file.ts';
import { templateDataOf } from '../../pipeline/notification/data.ts';
import { TemplateError } from '../../template/template-error.ts';
import { describeVersion } from '../../version.ts';
import { describeMail } from './mail-text.ts';
import { type Exchange, recordHttp, recordOnly } from './recorded-http.ts';
import { Redaction } from './redaction.ts';
import { resultOf, showExchange, type Transcript } from './transcript.ts';

type ConfiguredIntegration = ReceiverConfig['integrations'][number];

/** What the drills of one receiver share. */
export interface Stage {
  readonly notification: Notification;
  readonly templates: TemplateRenderer;
  readonly externalUrl: string;
  readonly isDryRun: boolean;
  readonly environment: Pick<AlertmanagerConfig, 'redact' | 'variables'>;
  /** Timeout of each attempt. */
  readonly timeoutMs: number;
  readonly terminal: Terminal;
}

/** One attempt with a timeout. */
async function attempt(
  { config, integration }: Pick<ConfiguredIntegration, 'config' | 'integration'>,
  context: NotifierContext,
  { notification, timeoutMs, terminal }: Stage,
): Promise<Delivery> {
  const deadline = new AbortController();
  const cancel = terminal.clock.after(timeoutMs, () =>
    deadline.abort(new DOMException('no answer within the time of --timeout', 'TimeoutError')),
  );
  try {
    return await integration.create(config, context).notify(notification, deadline.signal);
  } catch (error) {
    if (error instanceof TemplateError) return failedForGood(error.message);
    throw error;
  } finally {
    cancel();
  }
}

/** The records of one integration's attempts. */
class Records {
  readonly exchanges: Exchange[] = [];
  readonly #opened: OpenHttpClient[] = [];
  readonly #stage: Stage;
  readonly #redaction: Redaction;

  constructor(stage: Stage, redaction: Redaction) {
    this.#stage = stage;
    this.#redaction = redaction;
  }

  /** Secrets from files are hidden like others, also those that the HTTP client reads. */
  readonly #readSecret = async (path: string): Promise<string> => {
    const secret = await readSecretFile(path);
    this.#redaction.hide(secret);
    return secret;
  };

  context(): NotifierContext {
    const { templates, externalUrl, isDryRun, terminal } = this.#stage;
    const { clock, env: environment } = terminal;
    const readSecret = this.#readSecret;
    const deps = { clock, readSecret, environment, userAgent: `Alertmanager/${describeVersion().version}` };
    return {
      templates,
      externalUrl,
      clock,
      readSecret,
      dataOf: (notification) => templateDataOf(notification, externalUrl),
      // The transcript shows what is sent.
      log: { debug() {}, warn() {}, error() {} },
      openHttp: (httpConfig) => {
        if (isDryRun) return recordOnly(this.exchanges);
        const client = createHttpClient(httpConfig, deps);
        this.#opened.push(client);
        return recordHttp(client, this.exchanges, clock);
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((client) => client.close()));
  }
}

/** The e-mail that would be sent; undefined with its error. */
async function lookAtMail({ config }: ConfiguredIntegration, context: NotifierContext, { notification }: Stage) {
  try {
    const mail = await renderMail(config as EmailConfig, context, notification);
    return mail.ok
      ? { delivery: DELIVERED, message: describeMail(mail.value) }
      : { delivery: failedForGood(mail.reason), message: undefined };
  } catch (error) {
    if (error instanceof TemplateError) return { delivery: failedForGood(error.message), message: undefined };
    throw error;
  }
}

/** Sends the drill through one integration, or only records what it would send. */
export async function rehearse(configured: ConfiguredIntegration, stage: Stage): Promise<Transcript> {
  const { integration, config, index, sendResolved } = configured;
  const name = { integration: integration.name, index };
  if (!sendResolved && stage.notification.alerts.every(({ status }) => status === 'resolved')) {
    return { ...name, result: 'not sent', error: 'send_resolved is false', exchanges: [] };
  }
  const { redact, variables } = stage.environment;
  const redaction = new Redaction(config, integration.kind.print(config, redact), variables);
  const records = new Records(stage, redaction);
  const context = records.context();
  try {
    const look = integration.name === 'email' ? await lookAtMail(configured, context, stage) : undefined;
    const delivery =
      look && (stage.isDryRun || !look.delivery.ok) ? look.delivery : await attempt(configured, context, stage);
    const hasShown = records.exchanges.length > 0 || look?.message !== undefined;
    return {
      ...name,
      ...(stage.isDryRun && hasShown ? { result: 'not sent' } : resultOf(delivery, redaction)),
      exchanges: records.exchanges.map((exchange) => showExchange(exchange, redaction)),
      ...(look?.message !== undefined && { message: redaction.text(look.message) }),
    };
  } finally {
    await records.close();
  }
}
