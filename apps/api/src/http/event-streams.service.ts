import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { Metrics } from '@app/platform/observability';
import type { Scope } from '@app/workspace';
import { requireScope } from './access.js';
import { AuthenticationService } from './authentication.service.js';
import { EventStream } from './event-stream.js';
import type { ApiRequest } from './request-context.js';

const HEARTBEAT_MILLIS = 15_000;
/**
 * The stream of a revoked key or session must end within ten seconds. The cache may return a revoked key as valid for
 * five seconds, so access is checked every four seconds.
 */
const ACCESS_CHECK_MILLIS = 4_000;
const PATIENCE_MILLIS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/** Limits the number of event streams in this process and ends all of them at shutdown. */
@Injectable()
export class EventStreamsService {
  private readonly open = new Set<EventStream>();
  private isEnding = false;

  constructor(
    private readonly authentication: AuthenticationService,
    @Inject(apiConfig.KEY) private readonly config: ApiConfig,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'aas_event_streams', help: 'Number of open event streams.' }, (gauge) =>
      gauge.set(this.open.size),
    );
  }

  /**
   * Responds with a stream. It ends when the caller's key or session becomes invalid or loses the scope.
   * @throws DomainError `unavailable` if the limit of streams is reached, or during shutdown
   */
  begin(request: ApiRequest, response: Response, scope: Scope): EventStream {
    if (this.isEnding || this.open.size >= this.config.runEventsMaxStreams) {
      const detail =
        'This process has reached its limit of open event streams. Try again later, or read the trace of the run.';
      throw new DomainError('unavailable', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const stream = new EventStream(response, {
      heartbeatMillis: HEARTBEAT_MILLIS,
      accessCheckMillis: ACCESS_CHECK_MILLIS,
      patienceMillis: PATIENCE_MILLIS,
      mayContinue: () => this.isStillAllowed(request, scope),
    });
    if (!stream.signal.aborted) this.open.add(stream);
    response.once('close', () => this.open.delete(stream));
    // The response to HEAD has only headers.
    if (request.method === 'HEAD') stream.end();
    return stream;
  }

  /**
   * Ends all streams. Their readers reconnect to another process and continue after the last event that they received.
   */
  endAll(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end();
  }

  private async isStillAllowed(request: ApiRequest, scope: Scope): Promise<boolean> {
    try {
      requireScope(await this.authentication.identifyCaller(request), scope);
      return true;
    } catch (error) {
      // `unavailable` means that access could not be checked, for example because the database does not respond. The
      // caller may still have access, so the stream continues until the next check.
      return error instanceof DomainError && error.kind === 'unavailable';
    }
  }
}
