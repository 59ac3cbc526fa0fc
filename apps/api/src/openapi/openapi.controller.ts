import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import { sendCached } from '../http/cached-document.js';
import { ApiDescription } from './api-description.js';
import { CACHE_HEADERS } from './described-parts.js';
import { Operation } from './operation.decorator.js';

const GET_DOCUMENT = Operation({
  id: 'getOpenApiDocument',
  tag: 'Service',
  summary: 'This description',
  answers: [
    {
      description: 'OpenAPI 3.1.',
      headers: CACHE_HEADERS,
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  ],
});

@Controller('v1/openapi.json')
export class OpenApiController {
  constructor(private readonly description: ApiDescription) {}

  @Get()
  @Public()
  @GET_DOCUMENT
  document(@Res({ passthrough: true }) response: Response): string {
    return sendCached(response, this.description.get());
  }
}
