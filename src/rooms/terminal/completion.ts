import { COMPLETION_TIMEOUT_MS, type CompletionSources } from '../../kernel/terminal/completion.ts';

/** The rooms that the user may see. */
export const ROOM_COMPLETIONS: CompletionSources = {
  room: async ({ options, terminal }) => {
    const { withClient } = await import('./client.ts');
    const { roomsSchema } = await import('./wire.ts');
    return withClient({ ...options, timeout: COMPLETION_TIMEOUT_MS }, terminal, async (client) => {
      const { rooms } = await client.get('/api/room?limit=200', roomsSchema);
      return rooms.map(({ slug, name }) => ({ value: slug, description: name }));
    });
  },
};
