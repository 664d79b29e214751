import type { NotificationReason, Pairs } from '../domain/notification.ts';

/** An alert in template data. Instants are epoch milliseconds; a firing alert has no end. */
export interface TemplateAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly startsAt: number;
  readonly endsAt: number | undefined;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

/** The data of a template: `.Receiver`, `.Status`, `.Alerts` and so on. */
export interface TemplateData {
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly TemplateAlert[];
  /** Empty while route labels are rendered. */
  readonly notificationReason: NotificationReason | '';
  readonly groupLabels: Pairs;
  readonly commonLabels: Pairs;
  readonly commonAnnotations: Pairs;
  /** Rendered, unless `routeLabelsAreTemplates`. */
  readonly routeLabels: Pairs;
  /** The function `routeLabels` then renders the value it returns. */
  readonly routeLabelsAreTemplates?: boolean;
  readonly externalURL: string;
}
