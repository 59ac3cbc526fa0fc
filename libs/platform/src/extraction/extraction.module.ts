import { Module } from '@nestjs/common';
import { ExtractionService } from './extraction.service.js';

/** All readers of documents in a process share its child processes. */
@Module({ providers: [ExtractionService], exports: [ExtractionService] })
export class ExtractionModule {}
