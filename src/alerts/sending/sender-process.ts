import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answerCalls, laterMethods, logOver, type Port } from '../../kernel/calls.ts';
import { startChild, whenParentGone } from '../../kernel/child.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { isOwned, ownDataDirectory } from '../../kernel/data-directory.ts';
import { messageOf } from '../../kernel/errors.ts';
import { LineFile } from '../../kernel/line-file.ts';
import type { Log } from '../../kernel/log.ts';
import { giveMemoryBack } from '../../kernel/memory.ts';
import { makePrivateFolder, readPrivateFile, writePrivateFile } from '../../kernel/private-file.ts';
import { executableFile } from '../../kernel/thread.ts';
import { HandoverLog } from '../notifications/handover-log.ts';
import { createHttpClient } from '../notify/http-client.ts';
import { readSecretFile } from '../notify/secret-file.ts';
import { USER_AGENT } from '../version.ts';
import { NotificationSender } from './notification-sender.ts';
import { type NotifierSurroundings, openNotifiers } from './open-notifiers.ts';
import { type RunningSender, senderHere } from './sender-link.ts';
import { type KillableSender, watchSender } from './sender-watch.ts';

// Notifications are sent by a process of its own: it outlives a server that is killed, reads the answers to what is under
// way, notes them, and ends. It owns a folder of the data directory as long as it lives, and the next server waits for that.

/** How long the answers to what is under way may take after the server has died. */
const ORPHAN_MS = 5_000;
const POLL_MS = 20;
/** Only a process that stands still takes so long. */
const PATIENCE_MS = 10_000;

/** Whose process the owner of the folder is. */
const PID_NAME = 'pid';

interface SenderOptions {
  readonly dataDirectory: string;
}

const folderOf = (dataDirectory: string) => join(dataDirectory, 'sender');

/** The notes of what became of notifications, in a data directory. */
export function openHandoverLog(dataDirectory: string, clock: Clock, log: Log): HandoverLog {
  return new HandoverLog({ lines: new LineFile(join(dataDirectory, 'notifications.sent')), clock, log });
}

/** What notifiers are made with outside tests. */
export function notifierSurroundings(clock: Clock): NotifierSurroundings {
  const http = { clock, readSecret: readSecretFile, environment: process.env, userAgent: USER_AGENT };
  return { openHttp: (config) => createHttpClient(config, http), readSecret: readSecretFile, clock };
}

interface SenderWait {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the wait. */
  readonly stopped: AbortSignal;
}

/** Resolves when the sender of the server before this one, should that have been killed, has come to its end. */
export async function untilSenderEnded(dataDirectory: string, { clock, log, stopped }: SenderWait): Promise<void> {
  const folder = folderOf(dataDirectory);
  for (let waitedMs = POLL_MS; !stopped.aborted && (await isAlive(folder, log)); waitedMs += POLL_MS) {
    if (waitedMs === PATIENCE_MS) killStandingStill(folder, log);
    await new Promise<void>((done) => clock.after(POLL_MS, done));
  }
}

/** Whom notifications wait for does not send them either. What it has handed over counts as after a kill of both. */
function killStandingStill(folder: string, log: Log): void {
  try {
    const pid = Number(readPrivateFile(join(folder, PID_NAME)).toString('latin1'));
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) throw new Error('it has not left its number');
    log.warn('the sender of an earlier server stands still, and is killed', { pid });
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    log.error('Notifications wait for the process (notification sender) of an earlier server: end it', {
      folder,
      err: messageOf(error),
    });
  }
}

/** One that cannot be looked for holds nothing up. */
async function isAlive(folder: string, log: Log): Promise<boolean> {
  try {
    return await isOwned(folder);
  } catch (error) {
    log.error('it cannot be seen whether an earlier server is still sending', { err: messageOf(error) });
    return false;
  }
}

/** Resolves with one that need not be ready; rejects with an Error that says why there is none. */
export async function startSender(dataDirectory: string, clock: Clock, log: Log): Promise<RunningSender> {
  if (executableFile !== undefined) {
    return watchSender(startSenderProcess(executableFile, dataDirectory, log), clock, log);
  }
  const { sender, leave } = await openSender(dataDirectory, clock, log);
  return senderHere(sender, leave);
}

/** `file` is the executable, which may have been replaced since the start of the server. */
function startSenderProcess(file: string, dataDirectory: string, log: Log): KillableSender {
  if (!existsSync(file))
    throw new Error(`${file} is gone: put it back, and restart the server if it is another version`);
  const options: SenderOptions = { dataDirectory };
  return startChild({ file, name: 'notification sender', options, log, revive: () => undefined });
}

/** In the process. */
export function serveNotificationSender(port: Port, options: unknown): void {
  const { dataDirectory } = options as SenderOptions;
  const opening = openSender(dataDirectory, systemClock, logOver(port));
  const methods = opening.then(({ sender }) => sender);
  // Whoever calls is told.
  methods.catch(() => {});
  answerCalls(port, laterMethods(methods));
  giveMemoryBack(systemClock);
  whenParentGone(async () => {
    const { sender, leave } = await opening.catch(() => process.exit(1));
    const late = new Promise<void>((done) => systemClock.after(ORPHAN_MS, done));
    await Promise.race([sender.idle(), late]);
    leave();
    process.exit(0);
  });
}

/** On a full disk nobody needs it. */
function leavePid(folder: string, log: Log): void {
  try {
    writePrivateFile(join(folder, PID_NAME), String(process.pid));
  } catch (error) {
    log.warn('the number of the process that sends notifications could not be left', { err: messageOf(error) });
  }
}

async function openSender(dataDirectory: string, clock: Clock, log: Log) {
  makePrivateFolder(folderOf(dataDirectory));
  const folder = await ownDataDirectory(folderOf(dataDirectory), clock);
  leavePid(folder.path, log);
  const handovers = openHandoverLog(dataDirectory, clock, log);
  handovers.load();
  const surroundings = notifierSurroundings(clock);
  const sender = new NotificationSender({
    handovers,
    openNotifiers: (settings) => openNotifiers(settings, surroundings),
  });
  const leave = () => {
    handovers.close();
    folder.release();
  };
  return { sender, leave };
}
