import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { DeletedDocuments } from './deleted-documents.repository.js';
import { DocumentClearing } from './document-clearing.service.js';
import { StaleGenerations } from './stale-generations.repository.js';

/** What a worker process does behind deletions. */
@Module({
  providers: [{ provide: Clock, useValue: systemClock }, DeletedDocuments, DocumentClearing, StaleGenerations],
  exports: [DocumentClearing],
})
export class DocumentClearingModule {}
