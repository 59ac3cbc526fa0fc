/** A stored object: the sealed bytes of one file. */
export interface StoredObject {
  /** Id of the file. */
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** A range of stored bytes. Both positions are inclusive. */
export interface ByteRange {
  first: number;
  last: number;
}

/** Name of the object that marks the storage of an installation. */
export const MARKER_NAME = 'installation';

/** Stores sealed bytes by the id of their file. Never holds more than one window of the bytes in memory. */
export abstract class FileStorage {
  /**
   * Stores the bytes. They survive a power failure when the promise resolves. If the source or the storage fails,
   * nothing remains.
   * @throws StorageUnavailable
   */
  abstract put(name: string, bytes: AsyncIterable<Buffer>): Promise<void>;

  /**
   * Reads a range of the stored bytes.
   * @throws BytesMissing if nothing is stored with this name, StorageUnavailable
   */
  abstract read(name: string, range: ByteRange): AsyncIterable<Buffer>;

  /** Removes the bytes. Does nothing if there are none. @throws StorageUnavailable */
  abstract remove(name: string): Promise<void>;

  /** Lists the stored bytes of all files. @throws StorageUnavailable */
  abstract list(): AsyncIterable<StoredObject>;

  /** Returns the marker of the storage. Undefined if it has none. @throws StorageUnavailable */
  abstract readMarker(): Promise<string | undefined>;

  /** Writes the marker of the storage, durably. {@link list} does not contain it. @throws StorageUnavailable */
  abstract writeMarker(text: string): Promise<void>;

  /** Removes the parts of uploads that began before this time and never ended. A disk has no such parts. */
  async removeIncomplete(_before: Date): Promise<void> {
    // Nothing to do.
  }
}

/** The storage does not answer. A later attempt may succeed. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

/** The bytes of a file are missing or damaged. */
export class BytesMissing extends Error {
  override readonly name = 'BytesMissing';
}
