import { accepted } from '../domain/refusal.ts';
import { acknowledge } from './ack.ts';
import type { SlashCommand } from './command.ts';

export const unack: SlashCommand<null> = {
  name: 'unack',
  help: '/unack — in the thread of an alert: you do not have it any more',
  hint: 'in the thread of an alert: you do not have it any more',
  read: () => accepted(null),
  run: (request, _args, parts) => acknowledge(request, null, parts),
};
