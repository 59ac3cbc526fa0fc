import { LOGGER } from '@app/platform/observability';
import { redisConfig } from '@app/platform/redis';
import { Global, Module } from '@nestjs/common';
import { openRateLimits } from './open-rate-limits.js';
import { rateLimitsConfig } from './rate-limits.config.js';
import { RateLimits } from './rate-limits.js';

@Global()
@Module({
  providers: [
    { provide: RateLimits, inject: [rateLimitsConfig.KEY, redisConfig.KEY, LOGGER], useFactory: openRateLimits },
  ],
  exports: [RateLimits],
})
export class RateLimitsModule {}
