import { DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** What `npm start` sends to api and workers about the disk of its database. */
export interface StorageMessage {
  kind: 'storage';
  /** What is wrong and what to do; null while there is space. */
  problem: string | null;
}

const RETRY_SECONDS = 10;

/**
 * Whether the embedded database runs on its reserve of disk space. Then nothing new begins: no run, no claim, no sync. What is left is
 * for the emergency stop, the results of calls under way and the ends of runs. In a fleet it is never on.
 */
@Injectable()
export class StorageAlarmService {
  private reported: string | null = null;

  /** What is wrong and what to do; undefined while there is space. */
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

  /** Takes messages of the process that started this one; ignores all that are about something else. */
  receive(message: unknown): void {
    if (isStorageMessage(message)) this.reported = message.problem;
  }
}

function isStorageMessage(message: unknown): message is StorageMessage {
  if (typeof message !== 'object' || message === null) return false;
  if (!('kind' in message) || message.kind !== 'storage' || !('problem' in message)) return false;
  return message.problem === null || typeof message.problem === 'string';
}
