import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SourceAuthorizations } from '@app/knowledge';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { KnownQueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { authorizationAnswer, CallbackQuery, presentAuthorized, sendToProvider, StateQuery } from './oauth.api.js';

/** Where browsers go to have sources authorised. They have no key: the state in the address is what they know. */
@Tag('Knowledge')
@Controller('v1/oauth')
export class OauthController {
  constructor(private readonly authorizations: SourceAuthorizations) {}

  @Get('authorize')
  @Public()
  @Operation('Where an authorize_url leads: on to the provider', {
    302: {
      description: 'The page of the provider.',
      headers: { Location: 'There.', 'Set-Cookie': 'The state, for the callback.' },
    },
  })
  async beginAuthorization(
    @KnownQueryParameters() { state }: StateQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const url = await this.authorizations.begin(state);
    sendToProvider(request, response, state, url);
  }

  @Get('callback')
  @Public()
  @Operation('Where the provider sends the browser back to', {
    description: 'Adds the source, or authorises the one there is. A state is good for one callback.',
    200: { description: 'A page that says so.', content: { 'text/html': { schema: { type: 'string' } } } },
    problems: ['not_found'],
  })
  async finishAuthorization(
    @KnownQueryParameters() query: CallbackQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return presentAuthorized(response, await this.authorizations.finish(authorizationAnswer(request, query)));
  }
}
