import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DomainError } from '@app/kernel';
import { type CachedDocument, cachedDocument } from '../http/cached-document.js';

/** Holds the OpenAPI document, which exists only after every controller does. */
@Injectable()
export class ApiDescription {
  private published?: CachedDocument;

  publish(document: OpenAPIObject): void {
    this.published = cachedDocument('application/json', JSON.stringify(document));
  }

  get(): CachedDocument {
    if (!this.published) throw new DomainError('unavailable', 'The api is still starting.');
    return this.published;
  }
}
