import type { WireCommand } from '../../../src/rooms/contract/command.ts';
import type { Api } from '../api.ts';
import { commandHint } from '../text/server-words.ts';

/** The slash commands of the server, read when the first one is typed. */
export class CommandList {
  readonly #api: Api;
  #commands: readonly WireCommand[] | undefined;
  #isReading = false;

  constructor(api: Api) {
    this.#api = api;
  }

  /** The commands, or none until `arrived` is called. */
  get(arrived: () => void): readonly WireCommand[] {
    if (!this.#commands && !this.#isReading) void this.#read(arrived);
    return this.#commands ?? [];
  }

  async #read(arrived: () => void): Promise<void> {
    this.#isReading = true;
    this.#commands = await this.#api.commands().then(
      ({ commands }) => commands.map((command) => ({ ...command, hint: commandHint(command.name, command.hint) })),
      () => undefined,
    );
    this.#isReading = false;
    if (this.#commands) arrived();
  }
}
