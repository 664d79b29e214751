/** A template cannot be parsed or executed; the message is Go's, with the template's name, line and column. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
