import { Module } from '@nestjs/common';
import { CallbackAddressesService } from './callback-addresses.service.js';

@Module({ providers: [CallbackAddressesService], exports: [CallbackAddressesService] })
export class CallbackAddressesModule {}
