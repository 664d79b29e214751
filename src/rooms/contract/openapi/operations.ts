import type * as v from 'valibot';
import { copilotRequestSchema } from '../copilot.ts';
import { inviteRequestSchema } from '../invite.ts';
import { memberRequestSchema, meRequestSchema, readRequestSchema } from '../member.ts';
import { POST_MESSAGE, PUT_MESSAGE } from '../message.ts';
import { providerReplacementSchema, providerRequestSchema } from '../provider.ts';
import { roomDraftSchema, roomReplacementSchema } from '../room.ts';
import { runRequestSchema } from '../run.ts';
import { sessionPost } from '../session.ts';
import { tokenPost, tokenPut } from '../token.ts';
import { mePut, userPost, userPut } from '../user.ts';

/** The description of a method on a path. */
export interface Operation {
  readonly summary: string;
  /** The schema of a JSON body. */
  readonly body?: v.GenericSchema;
  /** The body may be plain text as well. */
  readonly text?: boolean;
  /** Names of query parameters. */
  readonly query?: readonly string[];
  /** Of success; 200 unless given. */
  readonly status?: number;
  readonly result?: string;
  readonly stream?: boolean;
}

const LIST = ['limit', 'next'];
const FEED = ['rooms', 'types', 'since', 'ephemeral', 'ticket'];

/** By method and path as they are mounted. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /': { summary: 'The page' },
  'GET /health': { summary: 'How the server is; 503 while writes cannot be accepted', result: 'Health' },
  'GET /metrics': { summary: 'Numbers for Prometheus', result: 'Text of Prometheus' },
  'GET /version': { summary: 'The release of this interface', result: '{version, opsdeck}' },
  'GET /openapi.json': { summary: 'This document' },

  'GET /api/me': { summary: 'The caller and the rights of the token', result: 'User and rights' },
  'PUT /api/me': { summary: 'Change your own name and colour', body: mePut, result: 'User and rights' },
  'GET /api/user': {
    summary: 'Users; to guests those they share a room with',
    query: ['q', ...LIST],
    result: '{users, next}',
  },
  'POST /api/user': { summary: 'Make a user (admins)', body: userPost, status: 201, result: 'User' },
  'GET /api/user/:id': { summary: 'A user', result: 'User' },
  'PUT /api/user/:id': { summary: 'Replace a user (admins)', body: userPut, result: 'User' },
  'DELETE /api/user/:id': { summary: 'Disable a user and revoke their tokens (admins)', result: 'User' },
  'GET /api/token': {
    summary: 'Your tokens; all tokens for admins',
    query: ['user', ...LIST],
    result: '{tokens, next}',
  },
  'POST /api/token': {
    summary: 'Make a token with no more rights and no later end than yours; its secret is shown this once',
    body: tokenPost,
    status: 201,
    result: '{token, secret}',
  },
  'GET /api/token/:id': { summary: 'A token', result: 'Token' },
  'PUT /api/token/:id': { summary: 'Rename a token', body: tokenPut, result: 'Token' },
  'DELETE /api/token/:id': {
    summary:
      'Revoke a token; its sessions and streams end. With children=true also all tokens, hooks and invites made by it, directly or indirectly',
    query: ['children'],
    result: 'Token',
  },
  'GET /api/session': { summary: 'The session and its user', result: '{user, expiresAt}' },
  'POST /api/session': {
    summary: 'Sign in with a token or an invite',
    body: sessionPost,
    status: 201,
    result: 'A cookie',
  },
  'DELETE /api/session': { summary: 'Sign out', status: 204 },
  'GET /api/audit': { summary: 'Actions of admins and moderators (admins)', query: LIST, result: '{entries, next}' },

  'GET /api/room': {
    summary: 'Rooms, the most recently active first',
    query: ['joined', 'archived', 'label', 'q', ...LIST],
    result: '{rooms, next}',
  },
  'POST /api/room': { summary: 'Make a room', body: roomDraftSchema, status: 201, result: 'Room' },
  'GET /api/room/:id': { summary: 'A room, by id or slug', query: ['messages'], result: 'Room' },
  'PUT /api/room/:id': {
    summary: 'Replace a room; {copilot} alone manages the copilot and nothing else',
    body: roomReplacementSchema,
    result: 'Room',
  },
  'DELETE /api/room/:id': { summary: 'Delete a room (owner)', query: ['purge'], result: 'Room' },
  'POST /api/room/:id/join': { summary: 'Join a public room' },
  'GET /api/room/:id/me': { summary: 'Your settings and read position in the room', result: 'Me' },
  'PUT /api/room/:id/me': { summary: 'Change your settings in the room', body: meRequestSchema, result: 'Me' },
  'DELETE /api/room/:id/me': { summary: 'Leave the room' },
  'GET /api/room/:id/member': { summary: 'Members of the room' },
  'GET /api/room/:id/member/:userId': { summary: 'A member' },
  'PUT /api/room/:id/member/:userId': { summary: 'Add a member, or change a role', body: memberRequestSchema },
  'DELETE /api/room/:id/member/:userId': { summary: 'Remove a member', query: ['ban'] },
  'GET /api/room/:id/invite': { summary: 'Invites of the room' },
  'POST /api/room/:id/invite': { summary: 'Make an invite', body: inviteRequestSchema, status: 201 },
  'GET /api/invite/:code': { summary: 'The room of an invite; does not join it' },
  'POST /api/invite/:code': { summary: 'Join by an invite' },
  'DELETE /api/invite/:code': { summary: 'Revoke an invite' },
  'PUT /api/room/:id/read': { summary: 'Set your read position', body: readRequestSchema, result: 'Me' },
  'POST /api/room/:id/typing': { summary: 'Announce that you are typing; ends after 6 s', status: 204 },
  'GET /api/room/:id/presence': { summary: 'Users online in the room', result: '{online}' },
  'GET /api/room/:id/export': { summary: 'The room as a file', query: ['format', 'files', 'from', 'to'] },
  'GET /api/room/:id/retention': { summary: 'What retention would remove', query: ['dryRun'] },
  'POST /api/import': { summary: 'Take in an export (admins)' },
  'POST /api/backup': {
    summary: 'A backup of everything as one archive (admins)',
    query: ['key'],
    result: 'An archive (tar)',
  },

  'GET /api/room/:id/message': {
    summary: 'Messages, ascending',
    query: ['before', 'after', 'around', 'limit', 'thread', 'type', 'author'],
    result: '{messages, firstSeq, lastSeq, hasBefore, hasAfter, cursor}',
  },
  'POST /api/room/:id/message': {
    summary: 'Post a message, as JSON or plain text',
    body: POST_MESSAGE,
    text: true,
    status: 201,
    result: 'Message',
  },
  'POST /api/message': { summary: 'Post a message', body: POST_MESSAGE, status: 201, result: 'Message' },
  'GET /api/message/:id': { summary: 'A message', result: 'Message' },
  'PUT /api/message/:id': { summary: 'Replace the content of a message', body: PUT_MESSAGE, result: 'Message' },
  'DELETE /api/message/:id': { summary: 'Delete a message; a tombstone stays', query: ['reason'], result: 'Message' },
  'GET /api/message/:id/history': { summary: 'Earlier versions of a message' },
  'PUT /api/message/:id/reaction/:emoji': { summary: 'React' },
  'DELETE /api/message/:id/reaction/:emoji': { summary: 'Take a reaction back' },
  'PUT /api/message/:id/pin': { summary: 'Pin a message' },
  'DELETE /api/message/:id/pin': { summary: 'Unpin a message' },
  'POST /api/message/:id/action/:name': {
    summary:
      'Press a button of an alert or a command; what reaches other servers is for admins and the rooms of --alerts-rooms',
  },
  'GET /api/command': { summary: 'Slash commands, as /help lists them', result: '{commands}' },
  'GET /api/search': {
    summary: 'Search messages, the newest first',
    query: ['q', 'room', 'from', 'type', 'before', 'after', ...LIST],
  },
  'GET /api/inbox': { summary: 'Your unread mentions and threads in all rooms', result: '{mentions, threads}' },
  'GET /api/file': { summary: 'Your files', query: LIST },
  'POST /api/file': { summary: 'Upload a file, as multipart/form-data or as raw bytes with X-File-Name', status: 201 },
  'GET /api/file/:id': { summary: 'A file' },
  'DELETE /api/file/:id': { summary: 'Remove a file that no message refers to' },

  'GET /api/event': { summary: 'All events, live', query: FEED, stream: true },
  'GET /api/room/:id/event': { summary: 'The events of a room, live', query: FEED, stream: true },
  'GET /api/event/log': {
    summary: 'The same events as JSON; waits for one',
    query: ['rooms', 'types', 'since', 'limit', 'wait'],
    result: '{events, cursor, epoch}',
  },
  'POST /api/event/ticket': { summary: 'A ticket for one stream of an EventSource, good for 30 s', status: 201 },

  'GET /api/room/:id/copilot': { summary: 'The copilot of a room', result: 'Copilot' },
  'PUT /api/room/:id/copilot': { summary: 'Replace the copilot', body: copilotRequestSchema, result: 'Copilot' },
  'DELETE /api/room/:id/copilot': { summary: 'Remove the copilot', status: 204 },
  'POST /api/room/:id/copilot/test': {
    summary: 'Ask the provider for 16 tokens; posts nothing',
    result: '{ok, latencyMs, model, error}',
  },
  'POST /api/room/:id/copilot/run': {
    summary: 'Ask the copilot',
    body: runRequestSchema,
    status: 202,
    result: 'Run',
  },
  'GET /api/run/:id': { summary: 'A run', result: 'Run' },
  'GET /api/run/:id/stream': { summary: 'The events of a run, live', stream: true },
  'DELETE /api/run/:id': { summary: 'Cancel a run', result: 'Run' },
  'POST /api/run/:id/retry': { summary: 'Run it again', status: 202, result: 'Run' },
  'GET /api/provider': { summary: 'Providers of copilots (admins)' },
  'POST /api/provider': { summary: 'Make a provider (admins)', body: providerRequestSchema, status: 201 },
  'GET /api/provider/:name': { summary: 'A provider (admins)' },
  'PUT /api/provider/:name': { summary: 'Replace a provider (admins)', body: providerReplacementSchema },
  'DELETE /api/provider/:name': { summary: 'Remove a provider (admins)' },

  'GET /api/hook': { summary: 'Hooks', query: LIST },
  'POST /api/hook': { summary: 'Make a hook; its secret is shown this once', status: 201 },
  'GET /api/hook/:id': { summary: 'A hook' },
  'PUT /api/hook/:id': { summary: 'Replace a hook' },
  'DELETE /api/hook/:id': { summary: 'Remove a hook' },
  'POST /api/hook/:id/:secret': { summary: 'Post through an incoming hook' },
  'POST /api/hook/:id/redeliver': { summary: 'Deliver again from a position', query: ['from'] },
};
