import { Module } from '@nestjs/common';
import { RunChangesService } from './run-changes.service.js';

@Module({ providers: [RunChangesService], exports: [RunChangesService] })
export class RunChangesModule {}
