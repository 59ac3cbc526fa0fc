import { ApiSchema } from '@nestjs/swagger';
import { Metrics } from '@app/platform/observability';
import { OneOf } from '../http/fields.js';

/** Health and metrics of this process. The main thread and the stop listener thread use different implementations. */
export abstract class ProcessHealth {
  /** @throws DomainError `unavailable` if the process must be restarted */
  abstract assertHealthy(): void;

  /** Returns the metrics in the Prometheus text format. */
  abstract renderMetrics(): Promise<{ contentType: string; text: string }>;
}

export class MainThreadHealth extends ProcessHealth {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  assertHealthy(): void {
    // The main thread is healthy: this code can run only if the event loop of the main thread is not blocked.
  }

  renderMetrics(): Promise<{ contentType: string; text: string }> {
    return this.metrics.render();
  }
}

@ApiSchema({ description: 'The response of a successful probe.' })
export class Health {
  @OneOf(['ok'], { description: 'Always `ok`; a failure has another HTTP status.' }) status: 'ok';
}
