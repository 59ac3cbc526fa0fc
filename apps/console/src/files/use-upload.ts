import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useRefusal } from '../data/session.js';
import type { FileRule } from './file-rule.js';
import type { FileValue } from './file-value.js';
import { UnusableFile, UPLOAD, uploadFor } from './uploads.js';

/** The file that is being sent. */
export interface Current {
  name: string;
  /** Share of its bytes that is sent, from 0 to 1. */
  share: number;
}

interface Upload {
  current: Current | undefined;
  /** Name of the file that was uploaded last. */
  done: string | undefined;
  /** Why the last file cannot be used. */
  problem: string | undefined;
  /** Why the service did not take the last file. */
  error: unknown;
  /** Why no file can be chosen now, or null. */
  refusal: string | null;
  /** Sends the files. A field that is no list takes only one. */
  choose: (files: readonly File[], isList: boolean) => void;
  cancel: () => void;
}

interface UploadEvents {
  onUploaded: (file: FileValue) => void;
  /** Called after the last file, while its progress is still shown. */
  onEnd: () => void;
}

/** Uploads files one after the other. Cancelling, and leaving the page, aborts the request and drops the other files. */
export function useUpload(rule: FileRule, { onUploaded, onEnd }: UploadEvents): Upload {
  const [current, setCurrent] = useState<Current>();
  const [isAmbiguous, setAmbiguous] = useState(false);
  const abort = useRef<AbortController>(null);
  const upload = useMutation({
    mutationKey: UPLOAD,
    mutationFn: ({ file, signal }: { file: File; signal: AbortSignal }) =>
      uploadFor(rule, file, { signal, onProgress: (share) => setCurrent({ name: file.name, share }) }),
    onSuccess: onUploaded,
  });
  useEffect(() => () => abort.current?.abort(), []);
  const send = async (files: readonly File[], isList: boolean): Promise<void> => {
    const isWrong = !isList && files.length > 1;
    setAmbiguous(isWrong);
    upload.reset();
    if (isWrong) return;
    const { signal } = (abort.current = new AbortController());
    try {
      for (const file of files) {
        setCurrent({ name: file.name, share: 0 });
        await upload.mutateAsync({ file, signal });
      }
    } catch {
      // The mutation keeps the error, unless the person has caused it.
      if (signal.aborted) upload.reset();
    } finally {
      onEnd();
      setCurrent(undefined);
    }
  };
  const scope = useRefusal('files:write');
  const refusal = scope ?? (current === undefined ? null : 'A file is being uploaded.');
  const { error, data } = upload;
  const unusable = error instanceof UnusableFile ? error.message : undefined;
  return {
    current,
    done: data?.filename,
    problem: isAmbiguous ? 'Choose one file. This field takes only one.' : unusable,
    error: unusable === undefined ? error : null,
    refusal,
    choose: (files, isList) => {
      if (refusal === null && files.length > 0) void send(files, isList);
    },
    cancel: () => abort.current?.abort(),
  };
}
