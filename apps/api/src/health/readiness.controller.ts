import { Controller, Get } from '@nestjs/common';
import { Public } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { Health } from './process-health.js';
import { Readiness } from './readiness.js';

/** For operators and load balancers: outside of `/v1`, without a key. */
@Tag('Service')
@Controller()
export class ReadinessController {
  constructor(private readonly readiness: Readiness) {}

  @Get('readyz')
  @Public()
  @Operation('Whether the service can carry out runs', {
    description:
      'Looks at database, migrations, queue and workers. A 503 lists in `missing` what is not there and why.',
    200: { description: 'Everything is there.', type: Health },
  })
  async getReadiness(): Promise<Health> {
    await this.readiness.assertReady();
    return { status: 'ok' };
  }
}
