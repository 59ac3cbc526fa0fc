import { Module } from '@nestjs/common';
import { RunChangesService } from './run-changes.service.js';
import { RunChangesStore } from './run-changes.store.js';

@Module({ providers: [RunChangesService, RunChangesStore], exports: [RunChangesService] })
export class RunChangesModule {}
