import { answerWith, type HttpHandler } from '../http/app.ts';
import type { Deck } from './deck.ts';
import type { DeckServer, ServerState } from './report.ts';

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Answers `GET /deck.json` of a server, which reports its own state with each answer. */
export function answerDeck(deck: Deck, own: Omit<DeckServer, 'state'>, state: () => ServerState): HttpHandler {
  return async (c) => answerWith(c, `${JSON.stringify(await deck({ ...own, state: state() }))}\n`, 200, HEADERS);
}
