import { Module } from '@nestjs/common';
import { SyncsController } from './syncs.controller.js';

@Module({ controllers: [SyncsController] })
export class SyncsApiModule {}
