import { DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';

export interface StorageMessage {
  kind: 'storage';
  problem: string | null;
}

const RETRY_SECONDS = 10;

/**
 * While it is on, no run and no sync starts, and workers claim no runs. The rest of the disk space is reserved for the
 * emergency stop, the results of started calls and the outcomes of runs.
 */
@Injectable()
export class StorageAlarmService {
  private reported: string | null = null;

  get problem(): string | undefined {
    return this.reported ?? undefined;
  }

  assertOff(): void {
    if (this.reported === null) return;
    throw new DomainError('unavailable', this.reported, {
      retryAfterSeconds: RETRY_SECONDS,
      extensions: { reason: 'disk_full' },
    });
  }

  receive(message: unknown): void {
    if (isStorageMessage(message)) this.reported = message.problem;
  }
}

function isStorageMessage(message: unknown): message is StorageMessage {
  if (typeof message !== 'object' || message === null) return false;
  if (!('kind' in message) || message.kind !== 'storage' || !('problem' in message)) return false;
  return message.problem === null || typeof message.problem === 'string';
}
