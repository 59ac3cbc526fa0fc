import { Inject, Injectable } from '@nestjs/common';
import type { QueueConnection, QueueStatus } from './queue-connection.js';
import { QUEUE_PUBLISHER } from './queue-tokens.js';

/** The queue's part of the readiness probe. */
@Injectable()
export class QueueHealth {
  constructor(@Inject(QUEUE_PUBLISHER) private readonly connection: QueueConnection) {}

  /**
   * Whether jobs can be stored and are kept. Answers within seconds and never rejects. A Redis that may evict keys (any
   * `maxmemory-policy` except noeviction) is not ok. If the policy cannot be read, the status has a warning.
   */
  check(): Promise<QueueStatus> {
    return this.connection.check();
  }
}
