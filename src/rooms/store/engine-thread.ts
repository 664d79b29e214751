import { systemClock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import {
  answerCalls,
  laterMethods,
  logOver,
  type Part,
  type Port,
  type ReviveError,
} from '../../kernel/threads/calls.ts';
import { startThread, type ThreadProgram } from '../../kernel/threads/thread.ts';
import type { RoomEngine } from './engine.ts';
import { openSqliteRoomEngine, type RoomEngineOptions } from './sqlite/open.ts';
import { StorageFullError } from './store.ts';

interface EngineThreadOptions extends Pick<RoomEngineOptions, 'durability'> {
  /** The data directory. */
  readonly path: string;
}

/** Starts an engine in a thread. An error at opening is reported by the first call. */
export function startRoomEngine(program: ThreadProgram, options: EngineThreadOptions, log: Log): Part<RoomEngine> {
  return startThread<RoomEngine>({ program, name: 'room engine', options, log, revive: reviveEngineError });
}

export const reviveEngineError: ReviveError = ({ name, message }) =>
  name === 'StorageFullError' ? new StorageFullError(message) : undefined;

/** Runs in the thread. */
export function serveRoomEngine(port: Port, options: unknown): void {
  const { path, durability } = options as EngineThreadOptions;
  const opening = openSqliteRoomEngine({ directory: { path }, durability, clock: systemClock, log: logOver(port) });
  opening.catch(() => {});
  answerCalls(port, laterMethods(opening));
}
