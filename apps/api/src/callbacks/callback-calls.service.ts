import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError, type JsonObject } from '@app/kernel';
import { extendContext } from '@app/platform/observability';
import { type CallbackPlace, CallbacksService, type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { parseObjectBody } from '../http/form-body.js';
import { readBytes } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { RequestLimitsService } from '../http/request-limits.service.js';

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

/**
 * Reads a JSON object, or a form as an object of texts and files.
 * @param limit maximum size of the body in bytes
 * @throws DomainError `invalid_json`, `payload_too_large`, or `invalid_request`. A body of another media type also gets
 * `invalid_request`.
 */
async function readCallbackBody(request: IncomingMessage, limit: number): Promise<JsonObject> {
  try {
    return await parseObjectBody(request, await readBytes(request, limit), limit);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'unsupported_media_type') throw error;
    throw new DomainError('invalid_request', error.message, { cause: error });
  }
}
