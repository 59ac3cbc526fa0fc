import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecretEntity } from './secret.entity.js';
import { SecretRepository } from './secret.repository.js';
import { SecretsService } from './secrets.service.js';
import { WorkspaceModule } from './workspace.module.js';

/**
 * This module is separate from WorkspaceModule, because it needs the encryption key, which the operator commands do not
 * have.
 */
@Module({
  imports: [TypeOrmModule.forFeature([SecretEntity]), WorkspaceModule],
  providers: [{ provide: Clock, useValue: systemClock }, SecretRepository, SecretsService],
  exports: [SecretsService],
})
export class SecretsModule {}
