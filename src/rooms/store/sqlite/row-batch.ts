import type { SqlValue, Statement } from '../../../kernel/storage/database.ts';

/** Rows per INSERT statement, the last size being one: starting a statement costs as much as a row. */
const SIZES = [32, 4, 1] as const;

/** The insertion of rows into a table. */
export interface TableRows {
  /** In values. */
  readonly width: number;
  /** Statements by their number of rows. */
  readonly sql: ReadonlyMap<number, string>;
}

/** `row`: one row as SQL, with a parameter for each value. */
export function tableRows(table: string, row: string): TableRows {
  const list = (size: number) => Array.from({ length: size }, () => row).join(', ');
  return {
    width: row.split('?').length - 1,
    sql: new Map(SIZES.map((size) => [size, `INSERT INTO ${table} VALUES ${list(size)}`])),
  };
}

/** Rows for one table, inserted by as few statements as possible. */
export class RowBatch {
  readonly #table: TableRows;
  /** Of all rows, in sequence. */
  #values: SqlValue[] = [];

  constructor(table: TableRows) {
    this.#table = table;
  }

  /** In rows. */
  get length(): number {
    return this.#values.length / this.#table.width;
  }

  add(...row: readonly SqlValue[]): void {
    for (const value of row) this.#values.push(value);
  }

  /** The statements that insert all added rows, in order. */
  take(): readonly Statement[] {
    const { width, sql } = this.#table;
    const values = this.#values;
    this.#values = [];
    const statements: Statement[] = [];
    for (let from = 0; from < values.length; ) {
      const rest = (values.length - from) / width;
      const size = SIZES.find((size) => size <= rest) ?? 1;
      const to = from + size * width;
      statements.push({ sql: sql.get(size) ?? '', values: values.slice(from, to) });
      from = to;
    }
    return statements;
  }
}
