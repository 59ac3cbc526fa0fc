import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { KnownQueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { OidcCallbackQuery, OidcSignInQuery } from './oidc.api.js';
import { OidcRedirectsService } from './oidc-redirects.service.js';

@Tag('Sign-in')
@Controller('auth/oidc')
export class OidcController {
  constructor(private readonly redirects: OidcRedirectsService) {}

  @Get()
  @Public()
  @Operation('Begin single sign-on', {
    description:
      'Redirects the browser to the OIDC provider. After an error, redirects to `/console/sign-in?error=<code>`.',
    302: {
      description: 'A redirect to the provider.',
      headers: { Location: 'Page of the provider.', 'Set-Cookie': 'Cookie that binds the sign-in to this browser.' },
    },
    303: { description: 'A redirect to the sign-in page after an error.', location: 'Page of the console.' },
  })
  beginOidcSignIn(
    @KnownQueryParameters() { return_to: returnTo }: OidcSignInQuery,
    @Res() response: Response,
  ): Promise<void> {
    return this.redirects.begin(response, returnTo);
  }

  @Get('callback')
  @Public()
  @Operation('Finish single sign-on', {
    description:
      'The OIDC provider redirects the browser to this operation, which begins a session. After an error, it ' +
      'redirects to `/console/sign-in?error=<code>`.',
    303: {
      description: 'A redirect to the console.',
      headers: { Location: 'Page of the console.', 'Set-Cookie': 'Cookie with the session.' },
    },
  })
  finishOidcSignIn(
    @KnownQueryParameters() _query: OidcCallbackQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.redirects.finish(request, response);
  }
}
