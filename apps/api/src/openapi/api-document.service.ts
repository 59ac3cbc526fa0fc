import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DomainError } from '@app/kernel';
import { type CachedDocument, cachedDocument } from '../http/answers.js';

/** Holds the OpenAPI document, which can be generated only after all controllers exist. */
@Injectable()
export class ApiDocumentService {
  private published?: CachedDocument;

  publish(document: OpenAPIObject): void {
    this.published = cachedDocument('application/json', JSON.stringify(document));
  }

  get(): CachedDocument {
    if (!this.published) throw new DomainError('unavailable', 'The API is starting. Try again in a few seconds.');
    return this.published;
  }
}
