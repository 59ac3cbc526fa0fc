import { Module } from '@nestjs/common';
import { PushedDocumentsController } from './pushed-documents.controller.js';
import { SourcesController } from './sources.controller.js';

@Module({ controllers: [SourcesController, PushedDocumentsController] })
export class SourcesApiModule {}
