import { Readable } from 'node:stream';
import type * as S3 from '@aws-sdk/client-s3';
import { isId } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { S3Settings } from './s3-settings.js';
import {
  type ByteRange,
  BytesMissing,
  FileStorage,
  MARKER_NAME,
  type StoredObject,
  StorageUnavailable,
} from './file-storage.js';

/** Size of a part of an upload. One part at a time is in memory. S3 accepts no smaller parts. */
const PART_BYTES = 5 * 1024 * 1024;
/** Errors of S3 that mean: the bytes of this file are not there. */
const ABSENT = new Set(['NoSuchKey', 'NotFound', 'InvalidRange']);

type Sdk = typeof S3;

/** The address is one of the operator, so it may be private. The AWS SDK is loaded with the first file. */
@Injectable()
export class S3StorageAdapter extends FileStorage {
  private opened: Promise<{ sdk: Sdk; client: S3.S3Client }> | undefined;

  constructor(private readonly settings: S3Settings) {
    super();
  }

  async put(name: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    const { Upload } = await import('@aws-sdk/lib-storage');
    const { client } = await this.open();
    const source = new WatchedSource(bytes);
    const Body = Readable.from(source, { objectMode: false });
    const upload = new Upload({
      client,
      params: { ...this.placeOf(name), Body },
      partSize: PART_BYTES,
      queueSize: 1,
      // A failed upload is aborted, so that its parts do not stay.
      leavePartsOnError: false,
    });
    try {
      await upload.done();
    } catch (error) {
      throw error === source.failure ? error : unavailable(error);
    } finally {
      Body.destroy();
    }
  }

  async *read(name: string, { first, last }: ByteRange): AsyncGenerator<Buffer> {
    const { sdk, client } = await this.open();
    const command = new sdk.GetObjectCommand({ ...this.placeOf(name), Range: `bytes=${first}-${last}` });
    try {
      const { Body } = await client.send(command);
      if (Body instanceof Readable) yield* Body as AsyncIterable<Buffer>;
    } catch (error) {
      throw unavailable(error);
    }
  }

  async remove(name: string): Promise<void> {
    const { sdk, client } = await this.open();
    await client.send(new sdk.DeleteObjectCommand(this.placeOf(name))).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async *list(): AsyncGenerator<StoredObject> {
    const { sdk, client } = await this.open();
    const { bucket: Bucket, prefix: Prefix } = this.settings;
    try {
      for await (const { Contents = [] } of sdk.paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        for (const { Key = '', LastModified: modifiedAt, Size: bytes = 0 } of Contents) {
          const name = Key.slice(Prefix.length);
          if (isId('file', name) && modifiedAt) yield { name, bytes, modifiedAt };
        }
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  override async removeIncomplete(before: Date): Promise<void> {
    const { sdk, client } = await this.open();
    const { bucket: Bucket, prefix: Prefix } = this.settings;
    let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    try {
      while (after) {
        const page: S3.ListMultipartUploadsCommandOutput = await client.send(
          new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...after }),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
          if (Initiated && Initiated < before)
            await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
        const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        after = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined;
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  async readMarker(): Promise<string | undefined> {
    const { sdk, client } = await this.open();
    try {
      const { Body } = await client.send(new sdk.GetObjectCommand(this.placeOf(MARKER_NAME)));
      return (await Body?.transformToString())?.trim();
    } catch (error) {
      const failure = unavailable(error);
      if (failure instanceof BytesMissing) return undefined;
      throw failure;
    }
  }

  async writeMarker(text: string): Promise<void> {
    const { sdk, client } = await this.open();
    const Body = `${text}\n`;
    await client.send(new sdk.PutObjectCommand({ ...this.placeOf(MARKER_NAME), Body })).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  private placeOf(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.settings.bucket, Key: `${this.settings.prefix}${name}` };
  }

  private open(): Promise<{ sdk: Sdk; client: S3.S3Client }> {
    return (this.opened ??= this.connect());
  }

  private async connect(): Promise<{ sdk: Sdk; client: S3.S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { endpoint, region, usesPathStyle: forcePathStyle } = this.settings;
    const client = new sdk.S3Client({
      region,
      forcePathStyle,
      ...(endpoint !== undefined && { endpoint }),
      // Servers other than AWS do not know the checksums that the SDK adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    return { sdk, client };
  }
}

/** Remembers the error of a source, which tells it from an error of the storage. */
class WatchedSource implements AsyncIterable<Buffer> {
  failure: Error | undefined;

  constructor(private readonly bytes: AsyncIterable<Buffer>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      yield* this.bytes;
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

function unavailable(cause: unknown): Error {
  const { name, message } = cause as Error;
  return ABSENT.has(name) ? new BytesMissing(message, { cause }) : new StorageUnavailable(message, { cause });
}
