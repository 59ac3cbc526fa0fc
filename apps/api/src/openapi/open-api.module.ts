import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller.js';
import { ApiDocumentService } from './api-document.service.js';

@Module({ controllers: [OpenApiController], providers: [ApiDocumentService] })
export class OpenApiModule {}
