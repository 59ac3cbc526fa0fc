import { Module } from '@nestjs/common';
import { TriggersController } from './triggers.controller.js';

@Module({ controllers: [TriggersController] })
export class TriggersApiModule {}
