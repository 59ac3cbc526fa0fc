import { Module } from '@nestjs/common';
import { EmergencyStopController } from './emergency-stop.controller.js';

@Module({ controllers: [EmergencyStopController] })
export class EmergencyStopApiModule {}
