import { Module } from '@nestjs/common';
import { CallbackAddressesService } from './callback-addresses.service.js';

/** Makes and verifies the addresses of callbacks. */
@Module({ providers: [CallbackAddressesService], exports: [CallbackAddressesService] })
export class CallbackAddressesModule {}
