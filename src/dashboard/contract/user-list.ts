/** A user in the answer of GET /api/users. */
export interface ListedUser {
  readonly id: string;
  readonly label: string;
  /** CSS. */
  readonly color: string;
  readonly emails: readonly string[];
  /** Paths of the user's CSV files in the project, relative to the page. */
  readonly defaultCsvPaths: readonly string[];
  readonly hasToken: boolean;
}

export interface UserList {
  readonly users: readonly ListedUser[];
}
