import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { CliAuthorizationsService, type Principal } from '@app/workspace';
import { AnyKey, Public, RequireRecentSignIn } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, JsonBody } from '../http/request-decorators.js';
import { RequestLimitsService } from '../http/request-limits.service.js';
import { Operation, Tag } from '../openapi/operation.js';
import { SameOriginGuard } from './same-origin.guard.js';
import { CliAuthorization, CliAuthorizationBody, CliToken, CliTokenBody, presentCliToken } from './sign-in.api.js';

@Tag('Sign-in')
@Controller('auth/cli')
@UseGuards(SameOriginGuard)
export class CliAuthorizationsController {
  constructor(
    private readonly authorizations: CliAuthorizationsService,
    private readonly limits: RequestLimitsService,
  ) {}

  @Post()
  @AnyKey()
  @RequireRecentSignIn()
  @Operation('Authorise the CLI', {
    description: 'Creates a code that the CLI exchanges for an API key with the role of the person.',
    sessionOnly: true,
    200: { description: 'The code.', type: CliAuthorization },
  })
  async authorizeCli(
    @CurrentPrincipal() principal: Principal,
    @JsonBody() { challenge, name }: CliAuthorizationBody,
  ): Promise<CliAuthorization> {
    return { code: await this.authorizations.authorize(principal, challenge, name) };
  }

  @Post('token')
  @Public()
  @Operation('Exchange a code for an API key', {
    description:
      'Returns an API key that expires after 90 days. The verifier proves that the caller began the authorisation (RFC 7636, S256). If the session of the person began with an API key, the new key ends with that key.',
    200: { description: 'The key.', type: CliToken },
    problems: ['invalid_sign_in', 'cross_site', 'rate_limited'],
  })
  async redeemCliCode(
    @JsonBody() { code, verifier }: CliTokenBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CliToken> {
    const redeem = () => this.authorizations.redeem(code, verifier);
    return presentCliToken(await this.limits.admitSignIn(request, response, undefined, redeem));
  }
}
