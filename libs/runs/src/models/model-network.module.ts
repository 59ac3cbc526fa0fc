import { Module } from '@nestjs/common';
import { MODEL_EGRESS, MODEL_EGRESS_PROVIDER } from '@app/platform/egress';

@Module({
  providers: [MODEL_EGRESS_PROVIDER],
  exports: [MODEL_EGRESS],
})
export class ModelNetworkModule {}
