import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SourceAuthorizations } from '@app/knowledge';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/api-request.js';
import { KnownQueryParameters } from '../http/request-decorators.js';
import { CallbackQuery, StateQuery } from './oauth.dto.js';
import { OAUTH_OPERATIONS } from './oauth.operations.js';
import { presentAuthorized, sendToProvider } from './oauth.presenter.js';
import { authorizationAnswer } from './oauth-requests.js';

/** Where browsers go to have sources authorised. They have no key: the state in the address is what they know. */
@Controller('v1/oauth')
export class OauthController {
  constructor(private readonly authorizations: SourceAuthorizations) {}

  @Get('authorize')
  @Public()
  @OAUTH_OPERATIONS.authorize
  async authorize(
    @KnownQueryParameters() { state }: StateQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    // prettier-ignore
    sendToProvider(request, response, state, await this.authorizations.begin(state));
  }

  @Get('callback')
  @Public()
  @OAUTH_OPERATIONS.callback
  async callback(
    @KnownQueryParameters() query: CallbackQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return presentAuthorized(response, await this.authorizations.finish(authorizationAnswer(request, query)));
  }
}
