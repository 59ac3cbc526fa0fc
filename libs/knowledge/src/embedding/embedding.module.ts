import { Clock, systemClock } from '@app/kernel';
import { ENV } from '@app/platform/config';
import { MODEL_EGRESS, modelEgress } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { EmbeddingClient } from './embedding.client.js';

/** The way to providers of embeddings. */
@Module({
  providers: [
    { provide: Clock, useValue: systemClock },
    { provide: MODEL_EGRESS, inject: [ENV], useFactory: modelEgress },
    EmbeddingClient,
  ],
  exports: [EmbeddingClient],
})
export class EmbeddingModule {}
