import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import { sendCached } from '../http/answers.js';
import { CACHE_HEADERS, Operation, Tag } from './operation.js';
import { ApiDocumentService } from './api-document.service.js';

@Tag('Service')
@Controller('v1/openapi.json')
export class OpenApiController {
  constructor(private readonly document: ApiDocumentService) {}

  @Get()
  @Public()
  @Operation('Get the OpenAPI document', {
    description: 'Returns this document. `GET /docs` shows it as a page.',
    200: {
      description: 'The document (OpenAPI 3.1).',
      headers: CACHE_HEADERS,
      content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } },
    },
  })
  getOpenApiDocument(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, this.document.get());
  }
}
