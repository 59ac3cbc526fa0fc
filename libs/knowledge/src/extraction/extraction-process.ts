import { DocumentError } from '../connectors/source-error.js';
import type { ExtractionRequest } from './extracted-text.js';
import { extract } from './extract.js';

/**
 * A process that reads documents: one at a time, and answers each. What it cannot survive ends it, and the pool starts another. It
 * ends by itself once the worker that started it has gone: then nothing keeps it alive.
 */
process.on('message', (request: ExtractionRequest) => {
  extract(request).then(
    (text) => process.send?.({ text }),
    (error: unknown) => process.send?.({ failure: failureOf(error) }),
  );
});

function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof DocumentError) return { code: error.code, message: error.message };
  return { code: 'document_unreadable', message: 'The document cannot be read.' };
}
