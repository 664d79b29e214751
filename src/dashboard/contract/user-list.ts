/** A user in the answer of GET /api/users. */
export interface ListedUser {
  readonly id: string;
  readonly label: string;
  /** CSS. */
  readonly color: string;
  readonly emails: readonly string[];
  /** Paths of the user's CSV files in the project, relative to the page. */
  readonly defaultCsvPaths: readonly string[];
  /** Whether there are live data: by a session token, or as logs. */
  readonly hasToken: boolean;
  /** The user is an assistant, whose live data are its logs on the server's machine. */
  readonly isAgent?: true;
}

export interface UserList {
  readonly users: readonly ListedUser[];
}
