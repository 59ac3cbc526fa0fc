import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { Clock } from '@app/kernel';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { SigningKey } from '@app/platform/crypto';
import { Cursors } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { RateLimits, RateLimitsModule } from '@app/platform/rate-limits';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import {
  ApiKeyAuthenticationService,
  RefusalLogService,
  SessionAuthenticationService,
  type SignInConfig,
  signInConfig,
  WorkspaceModule,
} from '@app/workspace';
import { AuthenticationGuard } from './authentication.guard.js';
import { AuthenticationService } from './authentication.service.js';
import { CallerAccessService } from './caller-access.service.js';
import { EventStreamsService } from './event-streams.service.js';
import { ListPagesService } from './list-pages.service.js';
import { RequestLimitsService } from './request-limits.service.js';
import { RouteTableService } from './route-table.service.js';
import { SentBodiesService } from './sent-bodies.service.js';
import { SessionCookieService } from './session-cookie.service.js';
import { UnreadInputGuard } from './unread-input.guard.js';

function signedCursors(signing: SigningKey, clock: Clock, { cursorMillis }: ApiConfig): Cursors {
  return new Cursors((data) => signing.hmac('cursors', data), clock, cursorMillis);
}

/** The thread of the stop listener uses these classes without Nest, so they have no decorators. */
const withoutDecorators: Provider[] = [
  {
    provide: RequestLimitsService,
    inject: [RateLimits],
    useFactory: (limits: RateLimits) => new RequestLimitsService(limits),
  },
  {
    provide: SessionCookieService,
    inject: [addressConfig.KEY, signInConfig.KEY],
    useFactory: (address: AddressConfig, signIn: SignInConfig) => new SessionCookieService(address, signIn),
  },
  {
    provide: AuthenticationService,
    inject: [
      ApiKeyAuthenticationService,
      SessionAuthenticationService,
      SessionCookieService,
      addressConfig.KEY,
      apiConfig.KEY,
    ],
    useFactory: (
      keys: ApiKeyAuthenticationService,
      sessions: SessionAuthenticationService,
      cookie: SessionCookieService,
      address: AddressConfig,
      api: ApiConfig,
    ) => new AuthenticationService(keys, sessions, cookie, address, api),
  },
  {
    provide: CallerAccessService,
    inject: [AuthenticationService, RefusalLogService, RequestLimitsService, LOGGER],
    useFactory: (
      authentication: AuthenticationService,
      refusals: RefusalLogService,
      limits: RequestLimitsService,
      logger: Logger,
    ) => new CallerAccessService(authentication, refusals, limits, logger),
  },
];

@Global()
@Module({
  imports: [DiscoveryModule, RateLimitsModule, WorkspaceModule],
  providers: [
    RouteTableService,
    ListPagesService,
    EventStreamsService,
    SentBodiesService,
    ...withoutDecorators,
    { provide: Cursors, inject: [SigningKey, Clock, apiConfig.KEY], useFactory: signedCursors },
    // The guards run in this order.
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: UnreadInputGuard },
  ],
  exports: [
    Cursors,
    RouteTableService,
    ListPagesService,
    EventStreamsService,
    RequestLimitsService,
    SentBodiesService,
    SessionCookieService,
  ],
})
export class HttpModule {
  /** @param clock determines the age of cursors and sign-ins */
  static of(clock: Clock): DynamicModule {
    return { module: HttpModule, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] };
  }
}
