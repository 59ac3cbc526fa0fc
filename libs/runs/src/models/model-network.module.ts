import { ENV } from '@app/platform/config';
import { Module } from '@nestjs/common';
import { MODEL_EGRESS, modelEgress } from '@app/platform/egress';

/** The way to model providers. */
@Module({
  providers: [{ provide: MODEL_EGRESS, inject: [ENV], useFactory: modelEgress }],
  exports: [MODEL_EGRESS],
})
export class ModelNetworkModule {}
