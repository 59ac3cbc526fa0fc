import { ApiSchema } from '@nestjs/swagger';
import { Metrics } from '@app/platform/observability';
import { OneOf } from '../http/fields.js';

/** Health and metrics of this process. The api and its stop listener each bind an implementation. */
export abstract class ProcessHealth {
  /** @throws DomainError `unavailable` if the process must be restarted */
  abstract assertHealthy(): void;

  /** Metrics in the Prometheus text format, and their content type. */
  abstract renderMetrics(): Promise<{ contentType: string; text: string }>;
}

/** Health as the main thread reports it. A response proves that the main thread runs. */
export class MainThreadHealth extends ProcessHealth {
  constructor(private readonly metrics: Metrics) {
    super();
  }

  assertHealthy(): void {
    // A response alone proves that the main thread runs.
  }

  renderMetrics(): Promise<{ contentType: string; text: string }> {
    return this.metrics.render();
  }
}

@ApiSchema({ description: 'The response of a successful probe.' })
export class Health {
  @OneOf(['ok'], { description: 'Always `ok`; a failure has another HTTP status.' }) status: 'ok';
}
