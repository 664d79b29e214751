/** Named bytes in a database, beside the data of environments. Calls end in seconds; they reject if the database fails. */
export interface BlobStore {
  read(): Promise<ReadonlyMap<string, Buffer>>;
  /** Replaces all of them. */
  replace(blobs: ReadonlyMap<string, Buffer>): Promise<void>;
}
