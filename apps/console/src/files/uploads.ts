import { useIsMutating } from '@tanstack/react-query';
import { aas } from '../data/api.js';
import { type FileRule, sizeProblem, typeProblem } from './file-rule.js';
import { type FileValue, valueOfFile } from './file-value.js';

export const UPLOAD = ['upload-file'] as const;

/** Returns why a form cannot be sent yet, or null. */
export function useUploadRefusal(): string | null {
  return useIsMutating({ mutationKey: UPLOAD }) > 0 ? 'A file is being uploaded.' : null;
}

/** A file that cannot be used, with the reason as a sentence. */
export class UnusableFile extends Error {}

export interface UploadOptions {
  signal: AbortSignal;
  /** Called with the share that is sent, from 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Uploads a file that a field of a form may contain.
 *
 * @throws {UnusableFile} before anything is sent, or, for a wrong type, after the stored file is deleted again
 */
export async function uploadFor(rule: FileRule, file: File, { signal, onProgress }: UploadOptions): Promise<FileValue> {
  const tooLarge = sizeProblem(rule, file);
  if (tooLarge !== undefined) throw new UnusableFile(tooLarge);
  // A folder, and a file that was deleted or changed after it was chosen, cannot be read.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new UnusableFile(`${file.name} cannot be read. Choose a file that exists on this computer.`);
    });
  const stored = await aas.files.upload(file, {
    signal,
    onProgress: ({ sent, total }) => onProgress(total === null || total === 0 ? 0 : sent / total),
  });
  const wrongType = typeProblem(rule, stored);
  if (wrongType === undefined) return valueOfFile(stored);
  await aas.files.delete(stored.id).catch(() => undefined);
  throw new UnusableFile(wrongType);
}
