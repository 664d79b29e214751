import { TemplateError } from '../template/template-error.ts';

/** Renders something; an error of a template then says what was to be rendered. */
export function namingTemplate<T>(prefix: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`${prefix}: ${error.message}`) : error;
  }
}
