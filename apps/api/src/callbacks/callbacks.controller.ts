import { Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentRequest, PathText } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { CallbackCallsService } from './callback-calls.service.js';
import { ACCEPTED, CALLBACK_BODY, CallbackResultResource } from './callbacks.api.js';

@Tag('Runs')
@Controller('v1/callbacks')
export class CallbacksController {
  constructor(private readonly calls: CallbackCallsService) {}

  @Post(':token')
  @Public()
  @Operation('Call a callback', {
    description:
      'Delivers the body to the `wait` step to which the token belongs, even before the step begins to wait. ' +
      'The token is the only credential. If the body does not match the schema of the step, the call is ' +
      'rejected with 422 `input_invalid` and can be repeated. A callback accepts one call. After this call, after its timeout ' +
      'and after the end of the run, the response is 410 `callback_closed`.',
    202: { description: 'The call is recorded.', type: CallbackResultResource },
    problems: ['not_found', 'callback_closed', 'input_invalid', 'rate_limited'],
  })
  async callCallback(
    // The token is not validated here, so that a malformed token gets the same error as an unknown token.
    @PathText('token', 'Token of the callback, from its URL.') token: string,
    @CurrentRequest(CALLBACK_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CallbackResultResource> {
    await this.calls.accept(request, response, token);
    return ACCEPTED;
  }
}
