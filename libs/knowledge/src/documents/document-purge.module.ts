import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { DeletedDocuments } from './document-purge.repository.js';
import { DocumentPurgeService } from './document-purge.service.js';
import { StaleGenerations } from './stale-generations.repository.js';

/** What a worker process does behind deletions. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, DeletedDocuments, DocumentPurgeService, StaleGenerations],
  exports: [DocumentPurgeService],
})
export class DocumentPurgeModule {}
