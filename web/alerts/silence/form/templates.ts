import type { Matcher } from '../../../../src/alerts/contract/wire.ts';
import type { SettingStorage } from '../../settings/settings.ts';

/** What a form of a silence is filled in with. */
export interface SilenceTemplate {
  readonly name: string;
  readonly matchers: readonly Matcher[];
  readonly durationMs: number;
  readonly comment: string;
  readonly expiresWhenResolved: boolean;
}

const KEY = 'opsdeck.alerts.silence-templates';

/** The templates of this browser, by name. Without storage there are none. */
export class SilenceTemplates {
  readonly #storage: SettingStorage;

  constructor(storage: SettingStorage) {
    this.#storage = storage;
  }

  list(): readonly SilenceTemplate[] {
    try {
      const value: unknown = JSON.parse(this.#storage.getItem(KEY) ?? '[]');
      return Array.isArray(value) ? value.filter(isTemplate) : [];
    } catch {
      // Forbidden storage, or another program's value.
      return [];
    }
  }

  /** Keeps a template; it replaces one of its name. False when the browser cannot keep it. */
  keep(template: SilenceTemplate): boolean {
    const others = this.list().filter(({ name }) => name !== template.name);
    return this.#write([...others, template].sort((a, b) => a.name.localeCompare(b.name)));
  }

  forget(forgotten: string): void {
    this.#write(this.list().filter(({ name }) => name !== forgotten));
  }

  #write(templates: readonly SilenceTemplate[]): boolean {
    try {
      this.#storage.setItem(KEY, JSON.stringify(templates));
      return true;
    } catch {
      return false;
    }
  }
}

function isTemplate(value: unknown): value is SilenceTemplate {
  const template = value as Partial<Record<keyof SilenceTemplate, unknown>> | null;
  return (
    typeof template?.name === 'string' &&
    typeof template.durationMs === 'number' &&
    typeof template.comment === 'string' &&
    Array.isArray(template.matchers) &&
    template.matchers.every((matcher) => typeof matcher?.name === 'string' && typeof matcher.value === 'string')
  );
}
