import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { Clock } from '@app/kernel';
import { type ApiConfig, apiConfig } from '@app/installation/settings';
import { SigningKey } from '@app/platform/crypto';
import { Cursors } from '@app/platform/database';
import { RateLimitsModule } from '@app/platform/rate-limits';
import { WorkspaceModule } from '@app/workspace';
import { AuthenticationGuard } from './authentication.guard.js';
import { AuthenticationService } from './authentication.service.js';
import { EventStreamsService } from './event-streams.service.js';
import { ListPagesService } from './list-pages.service.js';
import { RequestLimitsService } from './request-limits.service.js';
import { RouteTableService } from './route-table.service.js';
import { SessionCookieService } from './session-cookie.service.js';
import { UnreadInputGuard } from './unread-input.guard.js';

function signedCursors(signing: SigningKey, clock: Clock, { cursorMillis }: ApiConfig): Cursors {
  return new Cursors((data) => signing.hmac('cursors', data), clock, cursorMillis);
}

@Global()
@Module({
  imports: [DiscoveryModule, RateLimitsModule, WorkspaceModule],
  providers: [
    RouteTableService,
    ListPagesService,
    EventStreamsService,
    RequestLimitsService,
    SessionCookieService,
    AuthenticationService,
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
    SessionCookieService,
  ],
})
export class HttpModule {
  /** @param clock determines the age of cursors and sign-ins */
  static of(clock: Clock): DynamicModule {
    return { module: HttpModule, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] };
  }
}
