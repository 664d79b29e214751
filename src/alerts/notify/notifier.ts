import type { Clock } from '../../kernel/clock.ts';
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

/** What came of one attempt to notify. */
export type Delivery =
  | {
      readonly ok: true;
      /** Kept in the notification log and handed to the next notification of the group; undefined keeps what is there. */
      readonly receiverData?: ReceiverData | undefined;
    }
  | {
      readonly ok: false;
      /** Whether another attempt may succeed. */
      readonly retry: boolean;
      readonly reason: FailureReason;
      /** For the log and the history: it holds no secret, and no URL that is one. */
      readonly error: string;
      /** The service asked not to be tried again before this many milliseconds have passed. */
      readonly retryAfterMs?: number | undefined;
    };

/** Tells one service of alerts. One attempt: retrying is not its work. */
export interface Notifier {
  /** Never throws for what a service does; a TemplateError may pass through. `signal` ends the attempt. */
  notify(notification: Notification, signal: AbortSignal): Promise<Delivery>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** `user-agent` and those of the HTTP configuration are added. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Nobody reads what the answer says: one of 2xx counts as soon as its headers are here, also where it is cut after them. */
  readonly statusSuffices?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** Asked by names in small letters; several values are joined by commas. */
  readonly headers: { get(name: string): string | null };
  /** At most 64 KiB of the body. */
  readonly text: string;
}

/** Sends requests as an HTTP configuration says. */
export interface HttpClient {
  /** Rejects with an Error when no answer comes; its message names no URL. */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** The templates in force. Both throw a TemplateError, which names template, line and column. */
export interface TemplateRenderer {
  text(template: string, data: TemplateData): string;
  /** Escapes what data brings in, by where it stands in the HTML. */
  html(template: string, data: TemplateData): string;
}

/** What a notifier is made with. */
export interface NotifierContext {
  readonly templates: TemplateRenderer;
  /** Where people reach this server; without a slash at the end. */
  readonly externalUrl: string;
  readonly clock: Clock;
  /** Opens a client; undefined stands for the default configuration. */
  openHttp(config: HttpConfig | undefined): HttpClient;
  /** The text of a file, without the white space around it. Secrets in files are read at each use. */
  readSecret(path: string): Promise<string>;
  /** What templates see of a notification. */
  dataOf(notification: Notification): TemplateData;
}

/** A kind of notifier: its part of the configuration file, and how one is made. */
export interface Integration<C = unknown> {
  /** In metrics, the notification log and errors: `webhook`. */
  readonly name: string;
  /** Its key in a receiver: `webhook_configs`. */
  readonly key: string;
  readonly kind: Kind<C>;
  /** Takes over what is left to the global part and checks the whole; the reason of a refusal is Alertmanager's text. */
  complete(config: C, global: GlobalConfig): Outcome<C>;
  create(config: C, context: NotifierContext): Notifier;
}

/** What every integration's configuration has. */
export interface CommonConfig {
  readonly sendResolved: boolean;
}

export type { Fields, FieldValues };
