import type { RefusalCode } from '../../../src/rooms/domain/refusal.ts';
import { type Commands, germanReason } from './reason-german.ts';

/** The German of refusals without a listed reason, by their code; `{reason}` is the server's English. */
const REFUSALS = {
  unauthenticated: 'Nicht angemeldet: Token fehlt oder gilt nicht',
  token_expired: 'Der Token ist abgelaufen',
  read_only_room: 'In diesem Raum schreiben nur Admins',
  scope_missing: 'Der Token erlaubt das nicht',
  room_not_found: 'Diesen Raum gibt es nicht, oder er ist nicht freigegeben',
  message_not_found: 'Diese Nachricht gibt es nicht',
  member_not_found: 'Dieses Mitglied gibt es nicht',
  user_not_found: 'Diese Person gibt es nicht',
  run_not_found: 'Diese Antwort gibt es nicht mehr',
  file_not_found: 'Diese Datei gibt es nicht',
  invite_not_found: 'Diese Einladung gilt nicht mehr',
  too_large: 'Zu groß für diesen Server',
  unsupported_media_type: 'Diese Art von Datei nimmt der Server nicht an',
  name_taken: 'Dieser Name ist vergeben',
  archived: 'Dieser Raum ist archiviert',
  last_owner: 'Ein Raum braucht einen Inhaber: zuerst jemand anderen dazu machen',
  run_finished: 'Diese Antwort ist schon fertig',
  version_mismatch: 'Inzwischen von jemand anderem geändert: neu laden und wiederholen',
  rate_limited: 'Zu viele Anfragen: kurz warten',
  slow_mode: 'In diesem Raum ist zwischen zwei Nachrichten zu warten',
  copilot_quota: 'Das Kontingent des Copiloten ist aufgebraucht',
  storage_unavailable: 'Die Datenbank ist nicht erreichbar',
  storage_full: 'Der Speicher des Servers ist voll',
  shutting_down: 'Der Server wird gerade beendet',
  read_only: 'Der Server nimmt derzeit keine Änderungen an',
  forbidden: 'Das ist hier nicht erlaubt ({reason})',
  not_found: 'Nicht gefunden ({reason})',
  hook_not_found: 'Diesen Hook gibt es nicht',
  token_not_found: 'Diesen Token gibt es nicht',
  provider_not_found: 'Diesen Anbieter gibt es nicht',
  invalid_body: 'Diese Eingabe nimmt der Server nicht an ({reason})',
  invalid_query: 'Diese Anfrage nimmt der Server nicht an ({reason})',
  limit_reached: 'Die Höchstzahl ist erreicht ({reason})',
  id_conflict: 'Das gibt es schon ({reason})',
  deleted: 'Schon gelöscht ({reason})',
  request_in_progress: 'Diese Anfrage läuft schon',
  upstream_failed: 'Ein anderer Server hat nicht wie erwartet geantwortet ({reason})',
  not_supported: 'Das unterstützt dieser Server nicht ({reason})',
  origin_refused: 'Von dieser Adresse aus nicht erlaubt ({reason})',
  internal: 'Fehler des Servers; Näheres steht in seinem Log',
} as const satisfies Partial<Record<RefusalCode, string>>;

/** The German of a refusal; undefined for a code without. */
export function germanRefusal(code: string, reason: string, commands?: Commands): string | undefined {
  const german = Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS] : undefined;
  return germanReason(reason, commands) ?? german?.replace('{reason}', () => reason);
}
