import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type Principal, SessionsService } from '@app/workspace';
import { AnyKey } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, JsonBody } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { Me } from '../workspace/workspace.api.js';
import { BegunSessionsService } from './begun-sessions.service.js';
import { SIGNED_IN, SwitchWorkspaceBody } from './sign-in.api.js';

/** A switch signs the caller in to another workspace, so it belongs to this module despite its path `v1/sessions`. */
@Tag('Sign-in')
@Controller('v1/sessions')
export class WorkspaceSwitchController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly begun: BegunSessionsService,
  ) {}

  @Post('switch')
  @AnyKey()
  @Operation('Switch to another workspace', {
    description:
      'Replaces the session with a session in another workspace. The person must be a member of that workspace with the ' +
      'same e-mail address or the same identity at the OIDC provider. Only a session that began by e-mail or OIDC can be ' +
      'switched.',
    sessionOnly: true,
    200: SIGNED_IN,
    problems: ['sign_in_again', 'not_found'],
  })
  async switchWorkspace(
    @CurrentPrincipal() principal: Principal,
    @JsonBody() { workspace }: SwitchWorkspaceBody,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Me> {
    return this.begun.present(
      response,
      await this.sessions.switchWorkspace(principal, workspace, this.begun.browserOf(request)),
    );
  }
}
