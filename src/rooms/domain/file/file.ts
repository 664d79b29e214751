/** A file as a message refers to it. */
export interface FileRef {
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  /** SHA-256 in hex; files are stored by content. */
  readonly sha256: string;
  readonly width?: number;
  readonly height?: number;
  readonly uploadedBy: string;
  readonly createdAt: number;
}
