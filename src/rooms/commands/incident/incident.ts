import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { lineSchema } from '../../contract/text.ts';
import type { CardIncident } from '../../domain/card/command-card.ts';
import { commandJson } from '../../domain/card/command-card.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { createRoom } from '../../domain/room/create.ts';
import { onCallOf } from '../../domain/room/duty.ts';
import type { Room, RoomDraft } from '../../domain/room/room.ts';
import {
  type CommandMessage,
  type CommandParts,
  type CommandRequest,
  type CommandResult,
  cardOf,
  refuseArguments,
  requireScope,
  type SlashCommand,
} from '../command.ts';
import type { FoundAlert } from '../command-posts.ts';
import { exportTimeline, type FoundIncident, findIncident, lengthOf, timelineMessage } from './timeline.ts';

const MAX_TITLE = 80;
/** It becomes the name of a room. */
const TITLE = lineSchema(1, MAX_TITLE);
const MAX_NOTE = 500;
const MAX_NOTES = 40;

type IncidentArguments =
  | { readonly kind: 'start'; readonly title: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'end' };

export const incident: SlashCommand<IncidentArguments> = {
  name: 'incident',
  help: '/incident start <title> — a room for it, with a pinned timeline; there /incident note <text> and /incident end',
  hint: 'start <title>: a room for it; note <text>, end',
  read({ rest }) {
    const [, verb = '', words = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
    const text = words.replace(/\s+/g, ' ').trim();
    const length = [...text].length;
    if (verb === 'end' && text === '') return accepted({ kind: 'end' });
    if (verb === 'note' && length > 0 && length <= MAX_NOTE) return accepted({ kind: 'note', text });
    if (verb === 'start' && length > 0 && length <= MAX_TITLE) {
      const title = v.safeParse(TITLE, text);
      return title.success
        ? accepted({ kind: 'start', title: text })
        : refuseArguments(incident, `the title ${title.issues[0].message}`);
    }
    return refuseArguments(incident, `a title has at most ${MAX_TITLE} characters, a note ${MAX_NOTE}`);
  },
  async run(request, args, parts) {
    if (args.kind === 'start') return start(request, args.title, parts);
    const found = await findIncident(parts.store, request.access.room);
    if (!found.ok) return found;
    if (found.value.incident.endedAt !== undefined) return refuse('invalid_body', 'the incident has ended already');
    return args.kind === 'note' ? note(request, found.value, args.text, parts) : end(request, found.value, parts);
  },
};

async function start(request: CommandRequest, title: string, parts: CommandParts): Promise<CommandResult> {
  const { posts, permalink } = parts;
  const messageOf = (link: string): CommandMessage => ({
    body: `started the incident ${link}`,
    card: { ...cardOf(request, 'incident'), title: 'Incident' },
  });
  const refusal = requireScope(request.caller, 'manage');
  if (refusal) return refusal;
  return posts.act(request, messageOf(title), async () => {
    const alert = await posts.alertOf(request);
    const room = await makeRoom(request, title, alert, parts);
    if (!room.ok) return room;
    const timeline = await postTimeline(request, { title, room: room.value, alert }, parts);
    return timeline.ok
      ? accepted(messageOf(`[${linkText(title)}](${permalink(room.value, timeline.value)})`))
      : timeline;
  });
}

/** The room of the incident: the user on call and the one who has taken the alert are invited. */
async function makeRoom(
  { caller, access, id }: CommandRequest,
  title: string,
  alert: FoundAlert | undefined,
  { state, submit, roomContext, clock }: CommandParts,
): Promise<Outcome<Room>> {
  // A command that was interrupted after it has made its room finds it.
  for (const room of state.each('room'))
    if (room.deletedAt === null && room.createdBy === caller.user.id && room.labels.incident === id)
      return accepted(room);
  const invited = [onCallOf(state, access.room.id, clock.now()), alert?.card.acked?.by];
  const members = invited.filter((user) => user !== undefined && state.get('user', user)?.disabled === false);
  const draft: RoomDraft = {
    name: title,
    topic: `Incident of #${access.room.slug}`,
    visibility: access.room.visibility === 'public' ? 'public' : 'private',
    labels: { ...access.room.labels, incident: id },
    members: members.filter((user) => user !== undefined),
  };
  const made = await submit(createRoom(caller, draft, roomContext));
  return made.ok ? accepted(made.value.room) : made;
}

interface NewTimeline {
  readonly title: string;
  readonly room: Room;
  readonly alert: FoundAlert | undefined;
}

/** Posts and pins the timeline; returns its id. */
async function postTimeline(
  request: CommandRequest,
  { title, room, alert }: NewTimeline,
  { messages, permalink, clock }: CommandParts,
): Promise<Outcome<string>> {
  const { caller, access } = request;
  const at = new Date(clock.now()).toISOString();
  const link = alert && `[${linkText(alert.card.title)}](${permalink(access.room, alert.id)})`;
  const notes = link === undefined ? [] : [{ at, by: caller.user.id, text: `alert ${link}` }];
  const startedBy = caller.user.id;
  const card: CardIncident = { title, fromRoomId: access.room.id, startedBy, startedAt: at, notes };
  const message = timelineMessage({ ...cardOf(request, 'incident'), incident: card });
  const id = derivedId(request.id);
  const place = { room: room.id, id, type: 'command', byServer: true } as const;
  const posted = await messages.post(caller, { ...place, body: message.body, card: commandJson(message.card) });
  // After an interruption the timeline may be there already, with another time.
  if (!posted.ok && posted.code !== 'id_conflict') return posted;
  const pinned = await messages.pin(caller, id, true);
  return pinned.ok ? accepted(id) : pinned;
}

const derivedId = (id: string): string => `incident-${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;

const linkText = (text: string): string => text.replace(/[[\]\\]/g, ' ');

async function note(
  request: CommandRequest,
  { messageId }: FoundIncident,
  text: string,
  { posts, clock }: CommandParts,
): Promise<CommandResult> {
  const message = { body: text, card: { ...cardOf(request, 'incident'), title: 'Noted in the timeline' } };
  return posts.act(request, message, async () => {
    const added = { at: new Date(clock.now()).toISOString(), by: request.caller.user.id, text };
    const changed = await posts.changeCard(messageId, (card) => {
      if (!card.incident) return refuse('message_not_found', 'the timeline is gone');
      const notes = [...card.incident.notes, added];
      if (notes.length > MAX_NOTES)
        return refuse('limit_reached', `the timeline has ${MAX_NOTES} lines; what is written here is exported too`);
      return accepted(timelineMessage({ ...card, incident: { ...card.incident, notes } }));
    });
    return changed.ok ? accepted(message) : changed;
  });
}

/** Ends the incident: its timeline becomes a file, which is announced in the room where it began. */
async function end(
  request: CommandRequest,
  { messageId, incident: open }: FoundIncident,
  { posts, store, files, messages, permalink, clock }: CommandParts,
): Promise<CommandResult> {
  const { caller, access } = request;
  if (open.startedBy !== caller.user.id && !access.isModerator)
    return refuse('forbidden', 'only the user who started an incident, and admins and owners of its room, may end it');
  const ended = { ...open, endedAt: new Date(clock.now()).toISOString() };
  const body = `ended the incident after ${lengthOf(open.startedAt, ended.endedAt)}`;
  const message: CommandMessage = { body, card: { ...cardOf(request, 'incident'), title: 'Incident' } };
  return posts.act(request, message, async () => {
    const text = await exportTimeline(store, access.room, ended);
    const file = await files.receive(caller, { name: `${access.room.slug}.md`, chunks: oneChunk(text) });
    if (!file.ok) return file;
    const changed = await posts.changeCard(messageId, (card) =>
      card.incident?.endedAt === undefined && card.incident
        ? accepted(timelineMessage({ ...card, incident: { ...card.incident, endedAt: ended.endedAt } }))
        : refuse('invalid_body', 'the incident has ended already'),
    );
    if (!changed.ok) return changed;
    // The caller may have left that room; the incident has ended all the same.
    await messages.post(caller, {
      room: open.fromRoomId,
      id: derivedId(`${messageId}/end`),
      type: 'command',
      byServer: true,
      body: `ended the incident [${linkText(open.title)}](${permalink(access.room, messageId)}) after ${lengthOf(open.startedAt, ended.endedAt)}`,
      card: commandJson(message.card),
    });
    return accepted({ ...message, attachments: [file.value.id] });
  });
}

async function* oneChunk(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
