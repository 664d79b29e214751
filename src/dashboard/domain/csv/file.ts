/** What is known about a file before it is read. */
export interface CsvFile {
  readonly name: string;
  /** Bytes; 0 when not known. */
  readonly size: number;
  /** Whose events these are, unless a `User` column says otherwise: a user's label. */
  readonly user: string;
}

export type BadRowReason = 'date' | 'implausible-date' | 'tokens' | 'negative-tokens' | 'cells';

export interface BadRow {
  /** From 1, the header included; of a row over several lines, its first. */
  readonly line: number;
  readonly reason: BadRowReason;
  /** The cell that is to blame, cut to 40 characters. */
  readonly text: string;
}

export type CsvFileError =
  | { readonly code: 'empty' }
  | { readonly code: 'missing-columns'; readonly columns: readonly string[] }
  | { readonly code: 'unclosed-quote'; readonly line: number }
  | { readonly code: 'all-rows-bad' };

export interface CsvCounts {
  readonly bytes: number;
  readonly rows: number;
  readonly events: number;
  readonly skipped: number;
}

/** `duplicate`: same name, size and content as a file that is already loaded, so that it was left out. */
export interface CsvFileResult extends CsvCounts {
  readonly status: 'added' | 'duplicate' | 'rejected';
  /** Present when added. */
  readonly fileId: number | undefined;
  readonly name: string;
  /** Present when rejected. */
  readonly error: CsvFileError | undefined;
  /** The first 20. */
  readonly badRows: readonly BadRow[];
  /** Rows whose total is not the sum of its parts; their total was kept. */
  readonly totalsThatDiffer: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
}

/**
 * The label that stands in a file name as a word of its own (`usage-events-info.csv` → `info`), the longest of several;
 * undefined when none does, so that somebody has to be asked.
 */
export function guessUser(fileName: string, labels: readonly string[]): string | undefined {
  const name = fileName.toLowerCase();
  const isWord = (label: string) => {
    for (let at = name.indexOf(label); at >= 0; at = name.indexOf(label, at + 1)) {
      const around = `${name[at - 1] ?? ' '}${name[at + label.length] ?? ' '}`;
      if (!/[\p{L}\p{N}]/u.test(around)) return true;
    }
    return false;
  };
  return labels.filter((label) => label !== '' && isWord(label.toLowerCase())).sort((a, b) => b.length - a.length)[0];
}
