export interface StoredObject {
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** A range of stored bytes. Both positions are inclusive. */
export interface ByteRange {
  first: number;
  last: number;
}

export const MARKER_NAME = 'installation';

/** Holds a few windows or one part of the bytes in memory. */
export abstract class FileStorage {
  /**
   * They survive a power failure when the promise resolves. If the source or the storage fails, nothing remains.
   * @throws StorageUnavailable
   */
  abstract put(name: string, bytes: AsyncIterable<Buffer>): Promise<void>;

  /** @throws BytesMissing if nothing is stored with this name, StorageUnavailable */
  abstract read(name: string, range: ByteRange): AsyncIterable<Buffer>;

  /**
   * Does nothing if there are none.
   * @throws StorageUnavailable
   */
  abstract remove(name: string): Promise<void>;

  /** @throws StorageUnavailable */
  abstract list(): AsyncIterable<StoredObject>;

  /** @throws StorageUnavailable */
  abstract readMarker(): Promise<string | undefined>;

  /**
   * {@link list} does not contain it.
   * @throws StorageUnavailable
   */
  abstract writeMarker(text: string): Promise<void>;

  /** A disk has no such parts. */
  async removeIncomplete(_before: Date): Promise<void> {
    // Nothing to do.
  }
}

/** The storage does not answer. A later attempt may succeed. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

export class BytesMissing extends Error {
  override readonly name = 'BytesMissing';
}
