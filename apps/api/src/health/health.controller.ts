import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { Health, ProcessHealth } from './process-health.js';

/** For load balancers, orchestrators and Prometheus: outside of `/v1`, without a key. Part of the api and of its stop listener. */
@Tag('Service')
@Controller()
export class HealthController {
  constructor(private readonly process: ProcessHealth) {}

  @Get('healthz')
  @Public()
  @Operation('Whether this process lives', { 200: { description: 'It does.', type: Health } })
  getHealth(): Health {
    this.process.assertHealthy();
    return { status: 'ok' };
  }

  @Get('metrics')
  @Public()
  @Operation('Metrics of this process for Prometheus', {
    200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
  })
  async getMetrics(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { contentType, text } = await this.process.renderMetrics();
    response.setHeader('Content-Type', contentType);
    return text;
  }
}
