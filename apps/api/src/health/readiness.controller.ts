import { Controller, Get } from '@nestjs/common';
import { Public } from '../http/access.decorators.js';
import type { Health } from './health.dto.js';
import { HEALTH_OPERATIONS } from './health.operations.js';
import { Readiness } from './readiness.js';

/** For operators and load balancers: outside of `/v1`, without a key. */
@Controller()
export class ReadinessController {
  constructor(private readonly readiness: Readiness) {}

  @Get('readyz')
  @Public()
  @HEALTH_OPERATIONS.ready
  async ready(): Promise<Health> {
    await this.readiness.assertReady();
    return { status: 'ok' };
  }
}
