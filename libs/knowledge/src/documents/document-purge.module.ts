import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { DocumentPurgeRepository } from './document-purge.repository.js';
import { DocumentPurgeService } from './document-purge.service.js';

@Module({
  providers: [{ provide: Clock, useValue: systemClock }, DocumentPurgeRepository, DocumentPurgeService],
  exports: [DocumentPurgeService],
})
export class DocumentPurgeModule {}
