import { ANY_FILES, type FileFacts } from '@app/definition';
import { type JsonObject, type JsonValue, replaceFileValues } from '@app/kernel';

/** What the rows say about a file of the run. */
export interface RunFileFacts extends FileFacts {
  filename: string;
  sha256: string;
}

/** The files that the run may use, by id. */
export interface RunFileIndex {
  get(id: string): FileFacts | RunFileFacts | undefined;
}

/**
 * Returns the request in which size and hash of each file are those of its row, so that policies judge the real file.
 * The plan may rename a file and give it another type, a model may not.
 */
export function describedFiles<Request extends JsonValue>(
  request: Request,
  files: RunFileIndex,
  byModel: boolean,
): Request {
  if (files === ANY_FILES) return request;
  // The cast is safe, because a file value is replaced by an object.
  return replaceFileValues(request, (named): JsonObject | undefined => {
    const facts = files.get(named.file);
    if (!facts || !('sha256' in facts)) return undefined;
    const { filename, contentType, bytes, sha256 } = facts;
    const own = { filename, content_type: contentType };
    return { ...own, ...named, ...(byModel && own), bytes, sha256 };
  }) as Request;
}
