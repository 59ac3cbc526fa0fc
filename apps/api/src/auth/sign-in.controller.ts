import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { KeySignInService, SignInLinksService } from '@app/workspace';
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
    private readonly links: SignInLinksService,
    private readonly keys: KeySignInService,
    private readonly ways: SignInWaysService,
  ) {}

  @Get('methods')
  @Public()
  @Operation('List the ways to sign in', {
    description: 'Returns the ways to sign in that this installation offers.',
    200: { description: 'The ways.', type: SignInMethods },
  })
  getSignInMethods(): SignInMethods {
    return { methods: this.ways.offered() };
  }

  @Post('link')
  @Public()
  @Operation('Sign in with a link', {
    description:
      'Spends the token of a link: from the command line, an invitation or a mail. A token can be used once. Opening the link does not spend it.',
    200: SIGNED_IN,
    problems: SIGN_IN_PROBLEMS,
  })
  signInWithLink(
    @JsonBody() { token }: LinkSignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.begun.answer(request, response, (browser) => this.links.signIn(token, browser));
  }

  @Post('email')
  @Public()
  @Operation('Ask for a sign-in mail', {
    description:
      'Sends a mail with a link and a code of six digits. The code works in the browser that asked, the link in any. An address ' +
      'without a member gets the same answer and no mail.',
    204: { description: 'Accepted.', headers: { 'Set-Cookie': 'Binds the code to this browser.' } },
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
  @Operation('Sign in with a mailed code', {
    description:
      'Spends the code of a mail, in the browser that asked for it. Ten wrong codes end the mail and its link.',
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
      'Exchanges an API key for a session, which has the role, the scopes and the kind of the key and ends with it.',
    200: SIGNED_IN,
    problems: SIGN_IN_PROBLEMS,
  })
  signInWithKey(
    @JsonBody() { api_key: key }: KeySignInBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.begun.answer(request, response, (browser) => this.keys.signIn(key, browser));
  }

  @Post('sign-out')
  @Public()
  @Operation('Sign out', {
    description: 'Ends the session of the browser and clears its cookie. Without a session it has no effect.',
    204: { description: 'Signed out.', headers: { 'Set-Cookie': 'Removes the cookie of the session.' } },
    problems: ['cross_site'],
  })
  signOut(@Req() request: ApiRequest, @Res({ passthrough: true }) response: Response): Promise<void> {
    return this.begun.signOut(request, response);
  }
}
