/** Keys, certificates with keys, databases and password stores. */
const SECRET_ENDINGS =
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx?|ppk|asc|gpg|ovpn|env|db|db3|sqlite|sqlite3|duckdb|mdb)(?:-(?:wal|shm|journal))?$/i;
const SECRET_NAMES = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|secrets?(?:\.\w+)?|.*\.env\..*)$/i;

/**
 * Whether a file may be served by its name: a path below the folder, with slashes, already decoded. Nothing that is
 * hidden, nothing that by its name is a key or a database, no way out of the folder.
 */
export function isServable(path: string): boolean {
  const names = path.split('/');
  if (path === '' || /[\\\0:]/.test(path)) return false;
  if (names.some((name) => name === '' || name.startsWith('.'))) return false;
  return !names.some((name) => SECRET_NAMES.test(name) || SECRET_ENDINGS.test(name));
}
