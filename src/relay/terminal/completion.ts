import { COMPLETION_TIMEOUT_MS, type CompletionSources } from '../../kernel/terminal/completion.ts';

/** The keys of flags, of a relay or of files. */
export const RELAY_COMPLETIONS: CompletionSources = {
  flag: async ({ options, terminal }) => {
    const { openFlags } = await import('./flag-origin.ts');
    const flags = options.flags ?? terminal.env.OPSDECK_RELAY_FLAGS;
    const timeout = `${COMPLETION_TIMEOUT_MS}ms`;
    const store = await openFlags({ ...options, ...(flags ? { flags } : {}), timeout }, terminal);
    return (store?.flags() ?? []).map(({ flag }) => ({ value: flag.key, description: flag.on ? 'on' : 'off' }));
  },
};
