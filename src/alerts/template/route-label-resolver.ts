import { CallError } from './callable.ts';
import type { TemplateData } from './template-data.ts';

/** Renders the route labels of one notification, each at most once; they may refer to each other. */
export class RouteLabelResolver {
  readonly #data: TemplateData;
  readonly #render: (template: string) => string;
  readonly #rendered = new Map<string, string>();
  readonly #inProgress: string[] = [];

  constructor(data: TemplateData, render: (template: string) => string) {
    this.#data = data;
    this.#render = render;
  }

  /** Empty for an absent label. Throws a CallError for a cycle. */
  resolve(name: string): string {
    const { routeLabels, routeLabelsAreTemplates } = this.#data;
    const template = Object.hasOwn(routeLabels, name) ? (routeLabels[name] as string) : '';
    if (!routeLabelsAreTemplates) return template;
    const known = this.#rendered.get(name);
    if (known !== undefined) return known;
    if (this.#inProgress.includes(name)) {
      throw new CallError(`route label cycle detected: ${[...this.#inProgress, name].join(' -> ')}`);
    }
    this.#inProgress.push(name);
    try {
      const rendered = this.#render(template);
      this.#rendered.set(name, rendered);
      return rendered;
    } finally {
      this.#inProgress.pop();
    }
  }
}
