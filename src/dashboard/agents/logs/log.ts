import type { AgentEvent, AgentId } from '../event.ts';

/** Reads one log line by line. */
export interface LogReader {
  /**
   * The events of one line (without its line end); undefined: the line is not understood. A line without usage gives
   * [].
   */
  read(line: Buffer): readonly AgentEvent[] | undefined;
  /** JSON text from which a reader goes on after what it has read (for instance Codex's last totals and model). */
  state(): string;
}

/** Where an agent keeps its logs, and how they are read. */
export interface AgentLogs {
  readonly id: AgentId;
  /** Folders to search, existing or not. */
  folders(env: NodeJS.ProcessEnv, home: string): readonly string[];
  /** Whether a path below a folder (relative, with `/`) is a log. */
  isLog(path: string): boolean;
  /** `lines`: the file is appended to. `whole`: it is one JSON document that is rewritten, and read again as a whole. */
  readonly form: 'lines' | 'whole';
  /** `path`: relative to its folder, as `isLog` gets it. `state`: of an earlier reader of the same file. */
  open(path: string, state?: string): LogReader;
}
