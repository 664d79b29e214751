import { answerWith, type HttpHandler } from '../http/app.ts';
import type { Deck } from './deck.ts';
import type { DeckServer } from './report.ts';

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Answers `GET /deck.json` of a server. */
export function answerDeck(deck: Deck, own: DeckServer): HttpHandler {
  return async (c) => answerWith(c, `${JSON.stringify(await deck(own))}\n`, 200, HEADERS);
}
