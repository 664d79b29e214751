import type { Provider } from '../domain/copilot/copilot.ts';
import { printInstant } from './instant.ts';

/** A provider on the wire; of its key only whether there is one. */
export function wireProvider(provider: Provider): object {
  return { ...provider, updatedAt: printInstant(provider.updatedAt) };
}
