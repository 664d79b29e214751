import type { Caller } from '../domain/caller.ts';
import type { Provider } from '../domain/copilot/copilot.ts';
import {
  createProvider,
  noSuchProvider,
  type ProviderMeans,
  type ProviderRequest,
  removeProvider,
  replaceProvider,
  requireAdmin,
} from '../domain/copilot/provider-change.ts';
import { granted, type Verdict } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';

export interface ProviderBookParts {
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly means: ProviderMeans;
}

/** The providers that rooms refer to by name; for admins of the server. */
export class ProviderBook {
  readonly #parts: ProviderBookParts;

  constructor(parts: ProviderBookParts) {
    this.#parts = parts;
  }

  /** By name. */
  list(caller: Caller): Verdict<readonly Provider[]> {
    const refusal = requireAdmin(caller);
    if (refusal) return refusal;
    return granted([...this.#parts.state.all('provider').values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  find(caller: Caller, name: string): Verdict<Provider> {
    const refusal = requireAdmin(caller);
    if (refusal) return refusal;
    const provider = this.#parts.state.get('provider', name);
    return provider ? granted(provider) : noSuchProvider(name);
  }

  create(caller: Caller, request: ProviderRequest): Promise<Verdict<Provider>> {
    const { state, writer, means } = this.#parts;
    return writer.submit(createProvider(caller, request, state.all('provider').size, means));
  }

  replace(caller: Caller, request: ProviderRequest, ifMatch: string | undefined): Promise<Verdict<Provider>> {
    return this.#parts.writer.submit(replaceProvider(caller, request, ifMatch, this.#parts.means));
  }

  remove(caller: Caller, name: string, ifMatch: string | undefined): Promise<Verdict<Provider>> {
    return this.#parts.writer.submit(removeProvider(caller, name, ifMatch));
  }
}
