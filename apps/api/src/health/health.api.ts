import { ApiSchema } from '@nestjs/swagger';
import { OneOf, Whole } from '../http/fields.js';

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
