import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { GlobalConfig } from '../config/global-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import type { Fields, FieldValues, Kind } from '../config/kind.ts';
import type { Notification, ReceiverData } from '../domain/notification.ts';
import type { TemplateData } from '../template/template-data.ts';

/** Why a notification failed, as Alertmanager's metrics name it. */
export const FAILURE_REASONS = [
  'other',
  'clientError',
  'serverError',
  'contextCanceled',
  'contextDeadlineExceeded',
  'authError',
  'rateLimited',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The result of one attempt to notify. `templateError`: the templates in whose place other texts were sent, and why. */
export type Delivery = DeliveryResult & { readonly templateError?: string };

type DeliveryResult =
  | {
      readonly ok: true;
      /** Kept in the notification log for the group's next notification; undefined keeps the old data. */
      readonly receiverData?: ReceiverData | undefined;
    }
  | {
      readonly ok: false;
      /** Whether a retry may succeed. */
      readonly retry: boolean;
      readonly reason: FailureReason;
      /** For the log and the history; contains no secret, and no URL that is one. */
      readonly error: string;
      /** The service's Retry-After in milliseconds. */
      readonly retryAfterMs?: number | undefined;
    };

/** Sends notifications to one service. One attempt: retries are the pipeline's work. */
export interface Notifier {
  /** Failures of the service are results, not errors; a TemplateError may pass through. `signal` ends the attempt. */
  notify(notification: Notification, signal: AbortSignal): Promise<Delivery>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** `user-agent` and the headers of the HTTP configuration are added. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The body of the answer is not needed: the headers of a 2xx are a success, even if the body is cut off. */
  readonly statusSuffices?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; several values are joined by commas. */
  readonly headers: { get(name: string): string | null };
  /** At most 64 KiB of the body. */
  readonly text: string;
}

/** Sends requests by an HTTP configuration. */
export interface HttpClient {
  /** Rejects with an Error without an answer; its message contains no URL. */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** The templates in force. Both methods throw a TemplateError, which names template, line and column. */
export interface TemplateRenderer {
  text(template: string, data: TemplateData): string;
  /** Escapes data by its context in the HTML. */
  html(template: string, data: TemplateData): string;
}

/** The parts that a notifier uses. */
export interface NotifierContext {
  readonly templates: TemplateRenderer;
  /** The server's URL for users, without a final slash. */
  readonly externalUrl: string;
  readonly clock: Clock;
  /** Opens a client; undefined means the default configuration. */
  openHttp(config: HttpConfig | undefined): HttpClient;
  /** The trimmed text of a file. Secret files are read at each use. */
  readSecret(path: string): Promise<string>;
  /** The template data of a notification. */
  dataOf(notification: Notification): TemplateData;
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>;
}

/** An integration: its part of the configuration file, and its notifier. */
export interface Integration<C = unknown> {
  /** In metrics, the notification log and errors: `webhook`. */
  readonly name: string;
  /** Its key in a receiver: `webhook_configs`. */
  readonly key: string;
  readonly kind: Kind<C>;
  /** Fills in global values and checks the whole; a refusal has Alertmanager's text. */
  complete(config: C, global: GlobalConfig): Outcome<C>;
  create(config: C, context: NotifierContext): Notifier;
  /**
   * Adds words on a template error, as a template, to a text that people read. Absent: they follow the first text that could
   * not be rendered.
   */
  addNote?(config: C, note: string): C;
}

/** The configuration that all integrations share. */
export interface CommonConfig {
  readonly sendResolved: boolean;
}

export type { Fields, FieldValues };
