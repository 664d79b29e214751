import { CommandError, messageOf } from '../../../kernel/errors.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { loadTemplates } from '../../template/load-templates.ts';
import { readTemplateData, sampleTemplateData } from './template-data-file.ts';

export interface RenderTemplateOptions {
  readonly 'template.glob'?: readonly string[];
  readonly 'template.text': string;
  readonly 'template.type': 'text' | 'html';
  readonly 'template.data'?: string;
}

/** `alerts template render`: prints a rendered template and nothing else. */
export async function renderTemplate(options: RenderTemplateOptions, terminal: Terminal): Promise<void> {
  const templates = await loadTemplates(options['template.glob'] ?? [], { clock: terminal.clock });
  if (!templates.ok) throw new CommandError(templates.reason);
  const file = options['template.data'];
  const data = file === undefined ? sampleTemplateData(terminal.clock.now()) : await readTemplateData(file, terminal);
  const render = options['template.type'] === 'html' ? 'html' : 'text';
  try {
    terminal.out(templates.value[render](options['template.text'], data));
  } catch (error) {
    throw new CommandError(messageOf(error));
  }
}
