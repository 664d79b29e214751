import type { Caller } from '../domain/caller.ts';
import type { Provider } from '../domain/copilot/copilot.ts';
import {
  createProvider,
  noSuchProvider,
  type ProviderContext,
  type ProviderRequest,
  removeProvider,
  replaceProvider,
  requireAdmin,
} from '../domain/copilot/provider-change.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';

export interface ProviderRegistryParts {
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly context: ProviderContext;
}

/** The providers that rooms refer to by name; for admins of the server. */
export class ProviderRegistry {
  readonly #parts: ProviderRegistryParts;

  constructor(parts: ProviderRegistryParts) {
    this.#parts = parts;
  }

  /** By name. */
  list(caller: Caller): Outcome<readonly Provider[]> {
    const refusal = requireAdmin(caller);
    if (refusal) return refusal;
    return accepted([...this.#parts.state.all('provider').values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  find(caller: Caller, name: string): Outcome<Provider> {
    const refusal = requireAdmin(caller);
    if (refusal) return refusal;
    const provider = this.#parts.state.get('provider', name);
    return provider ? accepted(provider) : noSuchProvider(name);
  }

  create(caller: Caller, request: ProviderRequest): Promise<Outcome<Provider>> {
    const { state, writer, context } = this.#parts;
    return writer.submit(createProvider(caller, request, state.all('provider').size, context));
  }

  replace(caller: Caller, request: ProviderRequest, ifMatch: string | undefined): Promise<Outcome<Provider>> {
    return this.#parts.writer.submit(replaceProvider(caller, request, ifMatch, this.#parts.context));
  }

  remove(caller: Caller, name: string, ifMatch: string | undefined): Promise<Outcome<Provider>> {
    return this.#parts.writer.submit(removeProvider(caller, name, ifMatch));
  }
}
