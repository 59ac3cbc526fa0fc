import { AgentsModule } from '@app/agents';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { CallbackAddressesModule } from './callback-addresses.module.js';
import { CallbacksService } from './callbacks.service.js';
import { CallbacksStore } from './callbacks.store.js';

@Module({
  imports: [AgentsModule, CallbackAddressesModule, QueueModule, RunPrivacyModule, RunQueriesModule],
  providers: [CallbacksService, CallbacksStore],
  exports: [CallbacksService],
})
export class CallbacksModule {}
