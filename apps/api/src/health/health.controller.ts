import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { MainThreadHealthService } from './main-thread-health.service.js';
import { Liveness } from './health.api.js';

/**
 * Routes for load balancers, orchestrators and Prometheus. They require no key and are outside `/v1`. The thread of the
 * stop listener serves them as well.
 */
@Tag('Service')
@Controller()
export class HealthController {
  constructor(private readonly process: MainThreadHealthService) {}

  @Get('healthz')
  @Public()
  @Operation('Check liveness', {
    description: 'Returns 200 while this process works. A 503 means that the process must be restarted.',
    200: { description: 'The process responds.', type: Liveness },
  })
  getHealth(): Liveness {
    return { status: 'ok', stop_port: this.process.stopPort };
  }

  @Get('metrics')
  @Public()
  @Operation('Get metrics', {
    description: 'Returns the metrics of this process for Prometheus.',
    200: {
      description: 'The metrics in the Prometheus text format.',
      content: { 'text/plain': { schema: { type: 'string' }, example: 'process_cpu_seconds_total 12.5' } },
    },
  })
  async getMetrics(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text } = await this.process.renderMetrics();
    response.setHeader('Content-Type', contentType);
    return text;
  }
}
