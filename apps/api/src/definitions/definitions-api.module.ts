import { Module } from '@nestjs/common';
import { DefinitionChecksService } from './definition-checks.service.js';
import { DefinitionsController } from './definitions.controller.js';

@Module({
  controllers: [DefinitionsController],
  providers: [DefinitionChecksService],
  exports: [DefinitionChecksService],
})
export class DefinitionsApiModule {}
