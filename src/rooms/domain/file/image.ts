/** The number of an image's first bytes that are read: its size may follow a preview and a colour profile. */
export const IMAGE_HEAD_BYTES = 256 * 1024;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size in pixels of a PNG, JPEG, GIF or WebP image, by its first bytes; `undefined`: unknown. */
export function imageSizeOf(contentType: string, head: Uint8Array): ImageSize | undefined {
  const view = Buffer.from(head.buffer, head.byteOffset, head.length);
  const size = READERS[contentType]?.(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const READERS: Readonly<Record<string, ((bytes: Buffer) => ImageSize | undefined) | undefined>> = {
  'image/png': (bytes) =>
    bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) },
  'image/gif': (bytes) =>
    bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) },
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

/** Walks the segments to the frame header. Source: ITU T.81, annex B. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const hasLength = marker !== 0x01 && (marker < 0xd0 || marker > 0xd9);
    if (hasLength && bytes.readUInt16BE(at + 2) < 2) return undefined;
    at += 2 + (hasLength ? bytes.readUInt16BE(at + 2) : 0);
  }
  return undefined;
}

/** Source: RFC 9649, section 2. */
function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
