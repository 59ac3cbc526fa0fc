import { Clock, systemClock } from '@app/kernel';
import { EgressClient, type EgressConfig, egressConfig } from '@app/platform/egress';
import { MailModule } from '@app/platform/mail';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkspaceModule } from '../workspace.module.js';
import { CliAuthorizationsService } from './cli-authorizations.service.js';
import { EmailSignInService } from './email-sign-in.service.js';
import { InvitationsService } from './invitations.service.js';
import { MemberIdentityRepository } from './member-identity.repository.js';
import { OidcMembersService } from './oidc-members.service.js';
import { OidcProvider, OidcSignInService } from './oidc-sign-in.service.js';
import { RefusedSignInsService } from './refused-sign-ins.service.js';
import { SessionsService } from './sessions.service.js';
import { SignInMailsService } from './sign-in-mails.service.js';
import { type SignInConfig, signInConfig } from './sign-in.config.js';
import { SignInService } from './sign-in.service.js';
import { SpentSignInEntity } from './spent-sign-in.entity.js';

/**
 * Injection token of the egress client for the OIDC provider. The operator chose the provider, so the client may reach
 * a private address.
 */
const OIDC_EGRESS = Symbol('OIDC_EGRESS');

function openOidcEgress({ oidc }: SignInConfig, { egressAllow }: EgressConfig): EgressClient {
  return new EgressClient({ allow: egressAllow, trustedOrigins: oidc ? [oidc.issuer.origin] : [] });
}

/** Loads the OIDC client only if a provider is configured, because its library needs memory in every process. */
async function openProvider(
  { oidc }: SignInConfig,
  { publicUrl }: AddressConfig,
  egress: EgressClient,
  clock: Clock,
): Promise<OidcProvider> {
  if (!oidc) return new OidcProvider(undefined);
  const { OidcProviderClient } = await import('./oidc-provider.client.js');
  const redirectUri = `${publicUrl}/auth/oidc/callback`;
  const now = () => clock.monotonicMillis();
  return new OidcProvider(new OidcProviderClient(oidc, egress, redirectUri, now));
}

@Module({
  imports: [TypeOrmModule.forFeature([SpentSignInEntity]), WorkspaceModule, MailModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    SessionsService,
    RefusedSignInsService,
    SignInService,
    SignInMailsService,
    InvitationsService,
    EmailSignInService,
    CliAuthorizationsService,
    MemberIdentityRepository,
    OidcMembersService,
    OidcSignInService,
    { provide: OIDC_EGRESS, inject: [signInConfig.KEY, egressConfig.KEY], useFactory: openOidcEgress },
    {
      provide: OidcProvider,
      inject: [signInConfig.KEY, addressConfig.KEY, OIDC_EGRESS, Clock],
      useFactory: openProvider,
    },
  ],
  exports: [
    SessionsService,
    SignInService,
    SignInMailsService,
    InvitationsService,
    EmailSignInService,
    CliAuthorizationsService,
    OidcSignInService,
  ],
})
export class SignInModule {}
