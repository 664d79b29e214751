import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { RunningSender } from './sender-link.ts';

const ASK_MS = 10_000;
/** So many in a row are a process that hangs. They are counted, not timed: a pause of the machine leaves one unanswered. */
const MOST_UNANSWERED = 6;

/** A sender that can be ended although it does nothing any more: it has died then. */
export interface KillableSender extends RunningSender {
  kill(): void;
}

/** Kills a sender that has answered nothing for a minute, so that the next notification starts another one. */
export function watchSender(sender: KillableSender, clock: Clock, log: Log): RunningSender {
  let unanswered = 0;
  const stopWatching = clock.every(ASK_MS, () => {
    if (unanswered === MOST_UNANSWERED) {
      log.error('The process that sends notifications has answered nothing for a minute and is killed');
      sender.kill();
      return;
    }
    unanswered++;
    sender.methods.ready().then(
      () => {
        unanswered = 0;
      },
      () => {},
    );
  });
  void sender.died.then(stopWatching);
  const { methods, died } = sender;
  return {
    methods,
    died,
    end() {
      stopWatching();
      return sender.end();
    },
  };
}
