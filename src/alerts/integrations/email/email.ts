import { messageOf } from '../../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import type { GlobalConfig } from '../../config/global-config.ts';
import { tlsConfig } from '../../config/http-config.ts';
import {
  bool,
  type Kind,
  map,
  object,
  optional,
  prose,
  secret,
  template,
  text,
  type ValueOf,
  withDefault,
} from '../../config/kind.ts';
import { groupHash, type Notification, type Pairs } from '../../domain/notification.ts';
import { quoteGo } from '../../domain/quote.ts';
import { sendResolved } from '../common-fields.ts';
import { DELIVERED, failedForGood, failedToSend } from '../deliver.ts';
import { readTls } from '../http/tls.ts';
import type { Delivery, Integration, Notifier, NotifierContext } from '../notifier.ts';
import { appendNote } from '../template/note.ts';
import { namingTemplate } from '../template/prefix.ts';
import { parseAddresses } from './addresses.ts';
import { type MailCredentials, plainToken } from './login.ts';
import { buildMessage, canonicalHeader, type Mail } from './message.ts';
import type { MailServer, MailSession } from './session.ts';
import { parseSmarthost, portNumber, printSmarthost, type Smarthost, smarthost } from './smarthost.ts';

const SUBJECT = '{{ template "email.default.subject" . }}';

/** Headers under their MIME names; duplicates, in any spelling, are refused. Of their templates only the subject is prose. */
const headers: Kind<Pairs> = {
  read(node) {
    const canonical: Record<string, string> = {};
    for (const [name, value] of Object.entries(map(template).read(node))) {
      const header = canonicalHeader(name);
      if (Object.hasOwn(canonical, header)) throw node.fault(`duplicate header ${quoteGo(header)} in email config`);
      canonical[header] = value;
    }
    return canonical;
  },
  print: (values) => values,
  mapTexts(values, change) {
    const { Subject: subject = SUBJECT } = values;
    const changed = change(subject, { path: 'headers.Subject', standard: SUBJECT, isProse: true }) ?? '';
    return changed === subject ? values : { ...values, Subject: changed };
  },
};

const emailConfig = object(
  {
    ...sendResolved(false),
    to: withDefault(template, ''),
    from: withDefault(template, ''),
    hello: withDefault(text, ''),
    smarthost: withDefault(smarthost, ''),
    auth_username: withDefault(text, ''),
    auth_password: withDefault(secret, ''),
    auth_password_file: withDefault(text, ''),
    auth_secret: withDefault(secret, ''),
    auth_secret_file: withDefault(text, ''),
    auth_identity: withDefault(text, ''),
    headers: withDefault(headers, {}),
    html: withDefault(prose, '{{ template "email.default.html" . }}'),
    text: withDefault(prose, ''),
    require_tls: optional(bool),
    tls_config: optional(tlsConfig),
    /** Undefined: on port 465. */
    force_implicit_tls: optional(bool),
    threading: optional(
      object({
        enabled: withDefault(bool, false),
        thread_by_date: withDefault(text, ''),
      }),
    ),
  },
  ({ to, headers, threading }) => {
    if (!to) return 'missing to address in email config';
    if (!threading?.enabled) return undefined;
    for (const name of ['References', 'In-Reply-To']) {
      if (!Object.hasOwn(headers, name)) continue;
      return `conflicting configuration: threading.enabled conflicts with custom ${name} header`;
    }
    return ['none', 'daily'].includes(threading.threadByDate)
      ? undefined
      : "threading.thread_by_date must be either 'none' or 'daily'";
  },
);

export type EmailConfig = ValueOf<typeof emailConfig>;

export const emailIntegration: Integration<EmailConfig> = {
  name: 'email',
  key: 'email_configs',
  kind: emailConfig,
  complete: completeEmail,
  create: createEmail,
  addNote: ({ html, text, ...config }, note) => ({
    ...config,
    html: html === '' ? '' : `${html}\n<p>${note}</p>`,
    text: text === '' && html !== '' ? '' : appendNote(text, note),
  }),
};

/** An own password or secret, inline or in a file, takes precedence over both global ones. */
function completeEmail(config: EmailConfig, global: GlobalConfig): Outcome<EmailConfig> {
  const address = config.smarthost || global.smtpSmarthost;
  if (!address) return refused('no global SMTP smarthost set');
  const parsed = parseSmarthost(address);
  if (!parsed.ok) return parsed;
  const from = config.from || global.smtpFrom;
  if (!from) return refused('no global SMTP from set');
  const { authPassword, authPasswordFile } =
    config.authPassword || config.authPasswordFile
      ? config
      : { authPassword: global.smtpAuthPassword, authPasswordFile: global.smtpAuthPasswordFile };
  const { authSecret, authSecretFile } =
    config.authSecret || config.authSecretFile
      ? config
      : { authSecret: global.smtpAuthSecret, authSecretFile: global.smtpAuthSecretFile };
  return accepted({
    ...config,
    from,
    smarthost: address,
    hello: config.hello || global.smtpHello,
    authUsername: config.authUsername || global.smtpAuthUsername,
    authPassword,
    authPasswordFile,
    authSecret,
    authSecretFile,
    authIdentity: config.authIdentity || global.smtpAuthIdentity,
    requireTls: config.requireTls ?? global.smtpRequireTls,
    tlsConfig: config.tlsConfig ?? global.smtpTlsConfig,
    forceImplicitTls: config.forceImplicitTls ?? global.smtpForceImplicitTls,
  });
}

function createEmail(config: EmailConfig, context: NotifierContext): Notifier {
  return {
    async notify(notification, signal) {
      const mail = await renderMail(config, context, notification);
      if (!mail.ok) return failedForGood(mail.reason);
      const server = await findServer(config);
      if (!server.ok) return failedForGood(server.reason);
      return sendMail({ config, context, server: server.value, mail: mail.value, signal });
    },
  };
}

interface Sending {
  readonly config: EmailConfig;
  readonly context: NotifierContext;
  readonly server: MailServer;
  readonly mail: Mail;
  readonly signal: AbortSignal;
}

async function sendMail({ config, context, server, mail, signal }: Sending): Promise<Delivery> {
  const secrets = new Set<string>();
  let session: MailSession | undefined;
  const { MailError, MailSession } = await import('./session.ts');
  try {
    session = await MailSession.open(server, signal);
    if (config.authUsername) {
      await session.login(async () => {
        const credentials = await readCredentials(config, context);
        for (const part of [credentials.password, credentials.secret]) {
          secrets.add(part).add(Buffer.from(part).toString('base64'));
        }
        secrets.add(plainToken(credentials));
        return credentials;
      });
    }
    await session.send(mail);
    return DELIVERED;
  } catch (error) {
    const failure = failedToSend(error, signal, [...secrets]);
    const isAuthError = error instanceof MailError && error.isAuthError;
    return isAuthError && !failure.ok ? { ...failure, reason: 'authError' } : failure;
  } finally {
    session?.quit(context.clock);
  }
}

async function findServer(config: EmailConfig): Promise<Outcome<MailServer>> {
  const address = parseSmarthost(config.smarthost);
  if (!address.ok) return address;
  const { host, port: service }: Smarthost = address.value;
  const port = portNumber(service);
  if (port === undefined) return refused(`establish connection to server: unknown port ${quoteGo(service)}`);
  try {
    const tls = await readTls(config.tlsConfig);
    return accepted({
      host: host || 'localhost',
      port,
      address: printSmarthost(address.value),
      hello: config.hello || 'localhost',
      implicitTls: config.forceImplicitTls ?? port === 465,
      requireTls: config.requireTls ?? true,
      tls,
    });
  } catch (error) {
    return refused(`parse TLS configuration: ${messageOf(error)}`);
  }
}

async function readCredentials(config: EmailConfig, { readSecret }: NotifierContext): Promise<MailCredentials> {
  const read = async (path: string, inline: string) => {
    if (path === '') return inline;
    try {
      return await readSecret(path);
    } catch (error) {
      throw new Error(`find auth mechanism: could not read ${path}: ${messageOf(error)}`);
    }
  };
  return {
    username: config.authUsername,
    identity: config.authIdentity,
    password: await read(config.authPasswordFile, config.authPassword),
    secret: await read(config.authSecretFile, config.authSecret),
  };
}

/** The message for the mail server. Throws a TemplateError. */
export async function renderMail(
  config: EmailConfig,
  { templates, dataOf, clock }: NotifierContext,
  notification: Notification,
): Promise<Outcome<Mail>> {
  const data = dataOf(notification);
  const render = (what: string, source: string) =>
    namingTemplate(`execute ${what} template`, () => templates.text(source, data));
  const from = parseAddresses(render("'from'", config.from));
  if (!from.ok) return refused(`parse 'from' addresses: ${from.reason}`);
  if (from.value.length !== 1) return refused(`must be exactly one 'from' address (got: ${from.value.length})`);
  const to = parseAddresses(render("'to'", config.to));
  if (!to.ok) return refused(`parse 'to' addresses: ${to.reason}`);
  const sentAt = clock.now();
  const content = await buildMessage({
    headers: { ...renderHeaders(config, render), ...threadHeaders(config, notification, sentAt) },
    text: config.text === '' ? '' : render('text', config.text),
    html: config.html === '' ? '' : namingTemplate('execute html template', () => templates.html(config.html, data)),
    sentAt,
  });
  return accepted({ from: from.value[0] as string, to: to.value, content });
}

function renderHeaders({ headers, to, from }: EmailConfig, render: (what: string, source: string) => string): Pairs {
  const sources = { Subject: SUBJECT, To: to, From: from, ...headers };
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, render(`${quoteGo(name)} header`, source)]),
  );
}

/**
 * All mails of a group, or of a group and a day, refer to a mail that was never sent, so that clients show them as one
 * thread. The day is that of the machine's time zone.
 */
function threadHeaders({ threading }: EmailConfig, notification: Notification, sentAt: number): Pairs {
  if (!threading?.enabled) return {};
  const root = `<alert-${groupHash(notification).slice(0, 16)}-${threading.threadByDate === 'none' ? '' : localDay(sentAt)}@alertmanager>`;
  return { References: root, 'In-Reply-To': root };
}

function localDay(at: number): string {
  const date = new Date(at);
  const digits = (value: number, count: number) => String(value).padStart(count, '0');
  return `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
}
