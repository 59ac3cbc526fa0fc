import { DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** Message of `npm start` to the api and the workers about the disk space of the embedded database. */
export interface StorageMessage {
  kind: 'storage';
  /** Describes the problem and what to do about it. Null while there is enough space. */
  problem: string | null;
}

const RETRY_SECONDS = 10;

/**
 * The alarm is on while the embedded database has used up its ordinary disk space. While it is on, no run and no sync
 * starts, and workers claim no runs. The rest of the disk space is reserved for the emergency stop, the results of
 * started calls and the outcomes of runs. Without an embedded database, the alarm is never on.
 */
@Injectable()
export class StorageAlarmService {
  private reported: string | null = null;

  get problem(): string | undefined {
    return this.reported ?? undefined;
  }

  /** @throws DomainError `unavailable` while the alarm is on */
  assertOff(): void {
    if (this.reported === null) return;
    throw new DomainError('unavailable', this.reported, {
      retryAfterSeconds: RETRY_SECONDS,
      extensions: { reason: 'disk_full' },
    });
  }

  /** Handles a message of the parent process. Ignores messages of other kinds. */
  receive(message: unknown): void {
    if (isStorageMessage(message)) this.reported = message.problem;
  }
}

function isStorageMessage(message: unknown): message is StorageMessage {
  if (typeof message !== 'object' || message === null) return false;
  if (!('kind' in message) || message.kind !== 'storage' || !('problem' in message)) return false;
  return message.problem === null || typeof message.problem === 'string';
}
