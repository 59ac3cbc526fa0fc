import { Module } from '@nestjs/common';
import { ChildRunStore } from './child-run.store.js';

@Module({ providers: [ChildRunStore], exports: [ChildRunStore] })
export class ChildRunsModule {}
