// What the server says, as the page reads it; instants are RFC 3339.

export interface UserRef {
  readonly id: string;
  readonly name: string;
  readonly kind: 'human' | 'bot' | 'copilot' | 'bridge' | 'system';
}

export interface FileRef {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly width?: number;
  readonly height?: number;
}

export interface Reaction {
  readonly emoji: string;
  readonly count: number;
  readonly userIds: readonly string[];
  readonly me?: boolean;
}

export interface RunRef {
  readonly id: string;
  readonly trigger: string | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface Message {
  readonly id: string;
  readonly roomId: string;
  readonly seq: number;
  readonly author: UserRef;
  readonly type: 'text' | 'file' | 'alert' | 'command' | 'system';
  readonly body: string;
  readonly format: 'markdown' | 'plain';
  readonly replyTo: string | null;
  readonly threadId: string | null;
  readonly alsoInRoom: boolean;
  readonly thread: {
    readonly replies: number;
    readonly lastReplyAt: string;
    readonly participants: readonly string[];
  } | null;
  readonly mentions: { readonly users: readonly string[]; readonly room: boolean; readonly copilot: boolean };
  readonly attachments: readonly FileRef[];
  readonly card: AlertCard | CommandCard | { readonly kind?: unknown } | null;
  readonly silent: boolean;
  readonly reactions: readonly Reaction[];
  readonly status: 'complete' | 'streaming' | 'failed' | 'cancelled';
  readonly run: RunRef | null;
  readonly pinned: boolean;
  readonly deleted: boolean;
  readonly edited: { readonly count: number; readonly at: string; readonly by: string } | null;
  readonly version: number;
  readonly createdAt: string;
}

export interface AlertCard {
  readonly kind: 'alert';
  readonly state: 'firing' | 'resolved';
  readonly severity: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly counts: { readonly firing: number; readonly resolved: number };
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: readonly {
    readonly state: 'firing' | 'resolved';
    readonly fingerprint: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly summary: string;
    readonly startedAt: string;
    readonly endedAt: string | null;
  }[];
  readonly more: number;
  readonly links: readonly { readonly label: string; readonly url: string }[];
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly changes: readonly { readonly at: string; readonly firing: number; readonly resolved: number }[];
  readonly acked: { readonly by: string; readonly at: string; readonly note: string } | null;
  readonly silence: { readonly id: string; readonly endsAt: string; readonly by: string } | null;
}

export interface CommandCard {
  readonly kind: 'command';
  readonly command: string;
  readonly by: string;
  readonly liveUntil?: string;
}

export interface Me {
  readonly role: 'owner' | 'admin' | 'member' | 'guest';
  readonly involvement: 'everything' | 'mentions' | 'nothing' | 'invisible';
  readonly mutedUntil: string | null;
  readonly archived: boolean;
  readonly copilot: boolean;
  readonly lastReadSeq: number;
  readonly threadReads: Readonly<Record<string, number>>;
  readonly version: number;
  readonly unread?: number;
  readonly unreadMentions?: number;
}

export interface Copilot {
  readonly enabled: boolean;
  readonly name: string;
  readonly provider: string;
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly apiKeyInfo: { readonly set: boolean; readonly source: string | null; readonly last4: string | null };
  readonly instructions: string;
  readonly trigger: 'off' | 'manual' | 'mention' | 'always' | 'alert';
  readonly replyIn: 'thread' | 'room';
  readonly version: number;
}

export interface Room {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly topic: string;
  readonly description: string;
  readonly visibility: 'public' | 'private' | 'direct';
  readonly readOnly: boolean;
  readonly archived: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly retention: { readonly days: number | null; readonly maxMessages: number | null };
  readonly pinned: readonly string[];
  readonly copilot: Copilot | null;
  readonly version: number;
  readonly lastSeq: number;
  readonly firstSeq: number;
  readonly lastMessageAt: string | null;
  readonly memberCount: number;
  readonly onlineCount?: number;
  readonly me?: Me;
}

export interface Member {
  readonly userId: string;
  readonly user: UserRef;
  readonly role: Me['role'];
  readonly version: number;
}

export interface OpenedRoom extends Room {
  readonly messages: readonly Message[];
  readonly members: readonly Member[];
  readonly cursor: string;
  /** Told where the messages are not the last ones. */
  readonly hasBefore?: boolean;
  readonly hasAfter?: boolean;
}

export interface MessagePage {
  readonly messages: readonly Message[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  readonly cursor: string;
}

export interface Account extends UserRef {
  readonly admin: boolean;
  readonly role: 'admin' | 'user';
}

/** What the server has put into the page. */
export interface Boot {
  readonly auth: 'none' | 'token';
  readonly user: Account | null;
  readonly rooms: readonly Room[];
  readonly next: string | null;
  readonly cursor: string;
  /** The room and the message of the address, as they were asked for. */
  readonly asked: string | null;
  readonly focus: string | null;
  readonly room: OpenedRoom | null;
}

/** The page of somebody whom the server knows. */
export type SignedInBoot = Boot & { readonly user: Account };

export interface Run {
  readonly id: string;
  readonly state: string;
  readonly messageId: string | null;
  readonly provider: string;
  readonly model: string | null;
  readonly text: string | null;
  readonly saw: readonly { readonly messageId: string; readonly version: number }[];
}

export interface SearchHit {
  readonly message: Message;
  readonly snippet: string;
  readonly offsets: readonly (readonly [number, number])[];
}

export interface PostMessage {
  readonly id: string;
  readonly roomId: string;
  readonly body: string;
  readonly threadId?: string | null;
  readonly replyTo?: string | null;
  readonly attachments?: readonly string[];
}

/** A command's answer for the asker alone. */
export interface Notice {
  readonly notice: string;
}

export function alertCardOf({ type, card }: Message): AlertCard | undefined {
  return type === 'alert' && card?.kind === 'alert' && isWhole(card as AlertCard) ? (card as AlertCard) : undefined;
}

/** In earlier versions bots could post cards of this kind in any shape. */
function isWhole(card: Partial<AlertCard>): boolean {
  const { counts, labels, alerts, links, changes, acked, silence } = card;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  const areObjects = (list: unknown) => Array.isArray(list) && list.every(isObject);
  return (
    [card.severity, card.title, card.summary, card.description, card.startedAt].every(
      (text) => typeof text === 'string',
    ) &&
    [counts, labels].every(isObject) &&
    [alerts, links, changes].every(areObjects) &&
    (alerts ?? []).every((alert) => isObject(alert.labels)) &&
    [card.resolvedAt, acked, silence].every((value) => value !== undefined)
  );
}
