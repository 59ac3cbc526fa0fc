import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { Health } from './health.dto.js';
import { HEALTH_OPERATIONS } from './health.operations.js';
import { ProcessHealth } from './process-health.js';

/** For load balancers, orchestrators and Prometheus: outside of `/v1`, without a key. Part of the api and of its stop listener. */
@Controller()
export class HealthController {
  constructor(private readonly process: ProcessHealth) {}

  @Get('healthz')
  @Public()
  @HEALTH_OPERATIONS.health
  health(): Health {
    this.process.assertHealthy();
    return { status: 'ok' };
  }

  @Get('metrics')
  @Public()
  @HEALTH_OPERATIONS.metrics
  async prometheus(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text } = await this.process.renderMetrics();
    response.setHeader('Content-Type', contentType);
    return text;
  }
}
