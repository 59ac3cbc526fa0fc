import { Module } from '@nestjs/common';
import { BegunSessionsService } from './begun-sessions.service.js';
import { CliAuthorizationsController } from './cli-authorizations.controller.js';
import { SignInWaysService } from './sign-in-ways.service.js';
import { SessionsController } from '../sessions/sessions.controller.js';
import { OidcRedirectsService } from './oidc-redirects.service.js';
import { OidcController } from './oidc.controller.js';
import { WorkspaceSwitchController } from './workspace-switch.controller.js';
import { SignInController } from './sign-in.controller.js';

@Module({
  controllers: [
    SignInController,
    OidcController,
    CliAuthorizationsController,
    WorkspaceSwitchController,
    SessionsController,
  ],
  providers: [BegunSessionsService, SignInWaysService, OidcRedirectsService],
})
export class AuthModule {}
