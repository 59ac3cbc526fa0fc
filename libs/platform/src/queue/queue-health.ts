import { Inject, Injectable } from '@nestjs/common';
import type { QueueConnection, QueueStatus } from './queue-connection.js';
import { QUEUE_PUBLISHER } from './queue-tokens.js';

/** For the readiness probe. */
@Injectable()
export class QueueHealth {
  constructor(@Inject(QUEUE_PUBLISHER) private readonly connection: QueueConnection) {}

  /**
   * Whether rings can be stored and are kept. Answers within seconds and never rejects. A Redis that may evict keys
   * (any `maxmemory-policy` but noeviction) is refused; where the policy cannot be read there is a warning.
   */
  check(): Promise<QueueStatus> {
    return this.connection.check();
  }
}
