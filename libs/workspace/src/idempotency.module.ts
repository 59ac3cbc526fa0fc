import { Module } from '@nestjs/common';
import { IdempotencyStore } from './idempotency.store.js';

/**
 * This module is separate from WorkspaceModule, because it needs the encryption key, which the operator commands do not
 * have.
 */
@Module({ providers: [IdempotencyStore], exports: [IdempotencyStore] })
export class IdempotencyModule {}
