import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Metrics } from '@app/platform/observability';
import { Public } from '../http/access.decorators.js';
import type { Health } from './health.dto.js';
import { HEALTH_OPERATIONS } from './health.operations.js';
import { Readiness } from './readiness.js';

/** For load balancers, orchestrators and Prometheus: outside of `/v1`, without a key. */
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  @Get('healthz')
  @Public()
  @HEALTH_OPERATIONS.health
  health(): Health {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @HEALTH_OPERATIONS.ready
  async ready(): Promise<Health> {
    await this.readiness.assertReady();
    return { status: 'ok' };
  }

  @Get('metrics')
  @Public()
  @HEALTH_OPERATIONS.metrics
  async prometheus(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text } = await this.metrics.render();
    response.setHeader('Content-Type', contentType);
    return text;
  }
}
