import { ApiSchema } from '@nestjs/swagger';
import { OneOf, Whole } from '../http/fields.js';

/** Health and metrics of this process. The main thread and the stop listener thread use different implementations. */
export abstract class ProcessHealth {
  /** Port of the stop listener. Null while it does not listen, and if it is off. */
  abstract readonly stopPort: number | null;

  /** @throws DomainError `unavailable` if the process must be restarted */
  abstract assertHealthy(): void;

  /** Returns the metrics in the Prometheus text format. */
  abstract renderMetrics(): Promise<{ contentType: string; text: string }>;
}

@ApiSchema({ description: 'The response of a successful probe.' })
export class Health {
  @OneOf(['ok'], { description: 'Always `ok`; a failure has another HTTP status.' }) status: 'ok';
}

@ApiSchema({ description: 'The response of a successful liveness probe.' })
export class Liveness extends Health {
  @Whole({
    nullable: true,
    description: 'Second port, for the emergency stop (`STOP_PORT`); null if off.',
    example: 3001,
  })
  stop_port: number | null;
}
