import { TemplateError } from '../../template/template-error.ts';

/** Renders, and puts the prefix before the text of a TemplateError. */
export function namingTemplate<T>(prefix: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`${prefix}: ${error.message}`, error.details) : error;
  }
}
