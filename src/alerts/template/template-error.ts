import type { FailureReason } from '../integrations/notifier.ts';

export interface TemplateErrorDetails {
  /** The text of the configuration that could not be rendered. */
  readonly source?: string | undefined;
  /** For the metric of failed notifications; `other` by default. */
  readonly reason?: FailureReason | undefined;
}

/** A template cannot be parsed or executed; the message is Go's, with the template's name, line and column. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly details: TemplateErrorDetails;

  constructor(message: string | undefined, details: TemplateErrorDetails = {}) {
    super(message);
    this.details = details;
  }
}
