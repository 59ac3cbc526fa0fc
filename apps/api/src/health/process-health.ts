import { ApiSchema } from '@nestjs/swagger';
import { OneOf } from '../http/fields.js';

/** Health and metrics of this process. The main thread and the stop listener thread use different implementations. */
export abstract class ProcessHealth {
  /** @throws DomainError `unavailable` if the process must be restarted */
  abstract assertHealthy(): void;

  /** Returns the metrics in the Prometheus text format. */
  abstract renderMetrics(): Promise<{ contentType: string; text: string }>;
}

@ApiSchema({ description: 'The response of a successful probe.' })
export class Health {
  @OneOf(['ok'], { description: 'Always `ok`; a failure has another HTTP status.' }) status: 'ok';
}
