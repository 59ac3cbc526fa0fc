import { Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller.js';
import { ApiDescription } from './publish-api-document.js';

@Module({ controllers: [OpenApiController], providers: [ApiDescription] })
export class OpenApiModule {}
