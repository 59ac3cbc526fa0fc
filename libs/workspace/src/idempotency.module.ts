import { Module } from '@nestjs/common';
import { IdempotentRequests } from './idempotent-requests.service.js';

/** Separate from WorkspaceModule because it needs the encryption key, which the command line does not have. */
@Module({ providers: [IdempotentRequests], exports: [IdempotentRequests] })
export class IdempotencyModule {}
