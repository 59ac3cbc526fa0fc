import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import { extendContext } from '@app/platform/observability';
import { type CallbackPlace, CallbacksService } from '@app/runs';
import { objectBody } from '../http/form-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { SentBodiesService } from '../http/sent-bodies.service.js';

/** Accepts calls of callbacks. Checks the token first, then the rate limit, then the body. */
@Injectable()
export class CallbackCallsService {
  constructor(
    private readonly callbacks: CallbacksService,
    private readonly limits: RequestLimitsService,
    private readonly bodies: SentBodiesService,
  ) {}

  /**
   * A body of another media type than JSON and forms gets `invalid_request`.
   * @throws DomainError `rate_limited`, and the errors of {@link SentBodiesService} and {@link CallbacksService}
   */
  async accept(request: ApiRequest, response: Response, token: string): Promise<void> {
    const place = await this.placeOf(token, request, response);
    await this.limits.admitCallback(place.runId, response);
    const callback = await this.callbacks.open(place);
    const { workspaceId } = callback;
    extendContext({ workspaceId });
    try {
      const source = { type: 'callback', run: place.runId } as const;
      await this.bodies.receive({ request, workspaceId, source }, ({ body, files }) =>
        this.callbacks.accept(callback, objectBody(request, body), files),
      );
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'unsupported_media_type') throw error;
      throw new DomainError('invalid_request', error.message, { cause: error });
    }
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
