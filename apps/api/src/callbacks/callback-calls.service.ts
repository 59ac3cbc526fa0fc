import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { extendContext } from '@app/platform/observability';
import { type CallbackPlace, CallbacksService, type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { readCallbackBody } from './callback-body.js';

/** Accepts calls of callbacks. Checks the token first, then the rate limit, then the body. */
@Injectable()
export class CallbackCallsService {
  constructor(
    private readonly callbacks: CallbacksService,
    private readonly limits: RequestLimitsService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /** @throws DomainError `rate_limited`, and the errors of {@link readCallbackBody} and {@link CallbacksService} */
  async accept(request: ApiRequest, response: Response, token: string): Promise<void> {
    const place = await this.placeOf(token, request, response);
    await this.limits.admitCallback(place.runId, response);
    const callback = await this.callbacks.open(place);
    extendContext({ workspaceId: callback.workspaceId });
    await this.callbacks.accept(callback, await readCallbackBody(request, this.config.maxInputBytes));
  }

  private async placeOf(token: string, request: ApiRequest, response: Response): Promise<CallbackPlace> {
    try {
      return this.callbacks.placeOf(token);
    } catch (error) {
      await this.limits.refuse(request, response);
      throw error;
    }
  }
}
