import type { SecretCipher } from '../../authentication/secret-cipher.ts';
import { roomSecretKey } from '../../domain/copilot/change.ts';
import type { CopilotSettings, Provider, ProviderKind } from '../../domain/copilot/copilot.ts';
import { providerSecretKey } from '../../domain/copilot/provider-change.ts';
import { copilotOrigin, isKind } from '../../domain/copilot/settings.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import type { RoomState } from '../../room/state.ts';
import type { SecretSource } from '../secret-source.ts';
import { ModelError, type ModelTarget } from './model.ts';

const BASE_URLS: Readonly<Record<ProviderKind, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  echo: '',
};

export interface ModelTargetsParts {
  readonly state: RoomState;
  readonly cipher: SecretCipher;
  readonly secrets: SecretSource;
}

type Copilot = Pick<CopilotSettings, 'provider' | 'baseUrl' | 'model' | 'secretRef' | 'apiKeyInfo'>;

/** Finds the model, address and key of a copilot. */
export class ModelTargets {
  readonly #parts: ModelTargetsParts;

  constructor(parts: ModelTargetsParts) {
    this.#parts = parts;
  }

  /** Throws a ModelError that names the missing setting. */
  async find(roomId: string, copilot: Copilot): Promise<ModelTarget> {
    const profile = this.#parts.state.get('provider', copilot.provider);
    const kind = profile?.kind ?? (isKind(copilot.provider) ? copilot.provider : undefined);
    if (!kind)
      throw misset(
        `there is no provider ${copilot.provider}; an admin of the server makes one with POST /api/provider, or the room's copilot names another`,
      );
    const model = copilot.model ?? profile?.model ?? (kind === 'echo' ? 'echo' : null);
    if (model === null)
      throw misset(`no model is set; set one in the room's copilot or its provider ${copilot.provider}`);
    const apiKey = kind === 'echo' ? accepted(undefined) : await this.#findKey(roomId, copilot, profile);
    if (!apiKey.ok) throw misset(apiKey.reason);
    return {
      kind,
      model,
      baseUrl: (copilot.baseUrl ?? profile?.baseUrl ?? BASE_URLS[kind]).replace(/\/+$/, ''),
      allowPrivate: profile?.allowPrivate ?? false,
      apiKey: apiKey.value,
      name: this.nameOf(roomId, copilot),
    };
  }

  /** Copilots of one provider profile share a name; one without a profile has its own. */
  nameOf(roomId: string, { provider }: Pick<CopilotSettings, 'provider'>): string {
    return this.#parts.state.get('provider', provider) ? `profile ${provider}` : `room ${roomId}`;
  }

  /** A key is sent only to the origin that it was entered for. */
  async #findKey(
    roomId: string,
    copilot: Copilot,
    profile: Provider | undefined,
  ): Promise<Outcome<string | undefined>> {
    const { secrets } = this.#parts;
    const origin = copilotOrigin(copilot, profile);
    if (copilot.secretRef !== null) return secrets.read(copilot.secretRef);
    if (copilot.apiKeyInfo.source === 'room') return this.#openKey(roomSecretKey(roomId), origin);
    if (!profile || copilotOrigin({ provider: profile.name, baseUrl: null }, profile) !== origin)
      return accepted(undefined);
    if (profile.secretRef !== null) return secrets.read(profile.secretRef);
    return profile.apiKeyInfo.set ? this.#openKey(providerSecretKey(profile.name), origin) : accepted(undefined);
  }

  #openKey(owner: string, origin: string): Outcome<string> {
    const sealed = this.#parts.state.get('secret', owner);
    if (sealed && sealed.origin !== origin)
      return refuse('invalid_body', `the stored key belongs to another address than ${origin}; enter it again`);
    const key = sealed && this.#parts.cipher.open(owner, sealed);
    return key === undefined
      ? refuse('invalid_body', 'the stored key cannot be decrypted; enter it again')
      : accepted(key);
  }
}

const misset = (words: string): ModelError => new ModelError('configuration', words);
