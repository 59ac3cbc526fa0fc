import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { Metrics } from '@app/platform/observability';
import { ApiKeys, type Scope } from '@app/workspace';
import { requireScope } from './access.decorators.js';
import { readBearerToken } from './bearer-token.js';
import { EventStream } from './event-stream.js';
import type { ApiRequest } from './request-context.js';

const HEARTBEAT_MILLIS = 15_000;
const PATIENCE_MILLIS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/** The event streams that this process serves: not more than it may, and none of them when it ends. */
@Injectable()
export class EventStreamsService {
  private readonly open = new Set<EventStream>();
  private isEnding = false;

  constructor(
    private readonly keys: ApiKeys,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'aas_event_streams', help: 'Event streams that are open.' }, (gauge) =>
      gauge.set(this.open.size),
    );
  }

  /**
   * Begins to answer with a stream. It ends when the key that asked for it is revoked or loses the scope.
   * @throws DomainError `unavailable` when there are too many, or the process is about to end
   */
  begin(request: ApiRequest, response: Response, scope: Scope): EventStream {
    if (this.isEnding || this.open.size >= this.config.runEventsMaxStreams) {
      const detail = 'This process serves as many event streams as it may. Try again, or read the trace.';
      throw new DomainError('unavailable', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const stream = new EventStream(response, {
      heartbeatMillis: HEARTBEAT_MILLIS,
      patienceMillis: PATIENCE_MILLIS,
      mayContinue: () => this.isStillAllowed(request, scope),
    });
    if (!stream.signal.aborted) this.open.add(stream);
    response.once('close', () => this.open.delete(stream));
    // Headers are all there is to say to a HEAD request.
    if (request.method === 'HEAD') stream.end();
    return stream;
  }

  /** Readers reconnect, to another process or to the next one here, and miss nothing. */
  endAll(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end();
  }

  private async isStillAllowed(request: ApiRequest, scope: Scope): Promise<boolean> {
    try {
      requireScope(await this.keys.authenticate(readBearerToken(request)), scope);
      return true;
    } catch (error) {
      // A database that cannot be asked says nothing about the key.
      return error instanceof DomainError && error.kind === 'unavailable';
    }
  }
}
