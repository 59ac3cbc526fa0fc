import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { ApiKeysService } from './api-keys.service.js';
import { IdempotencyModule } from './idempotency.module.js';
import { WorkspaceModule } from './workspace.module.js';

/**
 * It is separate from WorkspaceModule, because it needs the encryption key (for the stored responses of repeated
 * requests), which the operator commands do not have.
 */
@Module({
  imports: [WorkspaceModule, IdempotencyModule],
  providers: [{ provide: Clock, useValue: systemClock }, ApiKeysService],
  exports: [ApiKeysService],
})
export class ApiKeysModule {}
