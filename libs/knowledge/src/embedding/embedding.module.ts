import { Clock, systemClock } from '@app/kernel';
import { MODEL_EGRESS_PROVIDER } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { EmbeddingClient } from './embedding.client.js';

@Module({
  providers: [{ provide: Clock, useValue: systemClock }, MODEL_EGRESS_PROVIDER, EmbeddingClient],
  exports: [EmbeddingClient],
})
export class EmbeddingModule {}
