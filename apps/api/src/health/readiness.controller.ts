import { Controller, Get } from '@nestjs/common';
import { Public } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { MainThreadHealthService } from './main-thread-health.service.js';
import { Health } from './health.api.js';

/** Routes for operators and load balancers. They require no key and are outside `/v1`. */
@Tag('Service')
@Controller()
export class ReadinessController {
  constructor(private readonly health: MainThreadHealthService) {}

  @Get('readyz')
  @Public()
  @Operation('Check readiness', {
    description:
      'Checks the database, migrations, queue, storage of files and workers. A 503 lists the missing parts and the reasons in `missing`.',
    200: { description: 'The service can carry out runs.', type: Health },
  })
  async getReadiness(): Promise<Health> {
    await this.health.assertReady();
    return { status: 'ok' };
  }
}
