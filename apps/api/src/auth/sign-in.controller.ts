import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { SignInService } from '@app/workspace';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { JsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { Me } from '../workspace/workspace.api.js';
import { BegunSessionsService } from './begun-sessions.service.js';
import { SameOriginGuard } from './same-origin.guard.js';
import {
  CodeSignInBody,
  EmailSignInBody,
  KeySignInBody,
  LinkSignInBody,
  SIGN_IN_PROBLEMS,
  SIGNED_IN,
  SignInMethods,
} from './sign-in.api.js';
import { SignInWaysService } from './sign-in-ways.service.js';

@Tag('Sign-in')
@Controller('auth')
@UseGuards(SameOriginGuard)
export class SignInController {
  constructor(
    private readonly begun: BegunSessionsService,
    private readonly signIns: SignInService,
    private readonly ways: SignInWaysService,
  ) {}

  @Get('methods')
  @Public()
  @Operation('List sign-in methods', {
    description: 'Returns the sign-in methods that this installation offers.',
    200: { description: 'The sign-in methods.', type: SignInMethods },
  })
  getSignInMethods(): SignInMethods {
    return { methods: this.ways.offered() };
  }

  @Post('link')
  @Public()
  @Operation('Sign in with a link', {
    description:
      'Exchanges the token of a sign-in link for a session. The link comes from the CLI, an invitation or an e-mail. A token can be used once, within 15 minutes (of an invitation: 7 days). Opening the link does not use the token.',
    200: SIGNED_IN,
    problems: SIGN_IN_PROBLEMS,
  })
  signInWithLink(
    @JsonBody() { token }: LinkSignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.begun.answer(request, response, (browser) => this.signIns.signInWithLink(token, browser));
  }

  @Post('email')
  @Public()
  @Operation('Request a sign-in e-mail', {
    description:
      'Sends an e-mail with a link and a code of six digits, valid for 15 minutes. The code works only in the browser that requested it; the ' +
      'link works in any browser. A further e-mail to the same browser ends the earlier one. If the address does not belong to a member, the response is the same, but no e-mail is ' +
      'sent.',
    204: {
      description: 'The request is accepted.',
      headers: { 'Set-Cookie': 'Cookie that binds the code to this browser.' },
    },
    problems: ['sign_in_off', 'https_required', 'cross_site', 'rate_limited'],
  })
  requestSignInMail(
    @JsonBody() { email }: EmailSignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    return this.ways.requestMail(request, response, email);
  }

  @Post('email/verify')
  @Public()
  @Operation('Sign in with a code from an e-mail', {
    description:
      'Exchanges the code from a sign-in e-mail for a session, in the browser that requested it. After ten wrong codes, the code and the link of the e-mail are invalid.',
    200: SIGNED_IN,
    problems: SIGN_IN_PROBLEMS,
  })
  signInWithCode(
    @JsonBody() body: CodeSignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.ways.signInWithCode(request, response, body);
  }

  @Post('key')
  @Public()
  @Operation('Sign in with an API key', {
    description:
      'Exchanges an API key for a session. The session has the role, the scopes and the kind of the key. It ends when the key expires or is revoked.',
    200: SIGNED_IN,
    problems: SIGN_IN_PROBLEMS,
  })
  signInWithKey(
    @JsonBody() { api_key: key }: KeySignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.begun.answer(request, response, (browser) => this.signIns.signInWithKey(key, browser));
  }

  @Post('sign-out')
  @Public()
  @Operation('Sign out', {
    description: 'Ends the session of the browser and clears its cookie. Without a session it has no effect.',
    204: {
      description: 'The session has ended.',
      headers: { 'Set-Cookie': 'Header that removes the session cookie.' },
    },
    problems: ['cross_site'],
  })
  signOut(@Req() request: ApiRequest, @Res({ passthrough: true }) response: Response): Promise<void> {
    return this.begun.signOut(request, response);
  }
}
