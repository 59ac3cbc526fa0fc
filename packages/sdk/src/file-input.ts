/** A file to upload. */
export type FileInput = ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer> | string | { path: string };

export interface UploadProgress {
  sent: number;
  /** Size of the file in bytes. Null for a stream, whose size is unknown. */
  total: number | null;
}

type Content = Blob | (() => ReadableStream<Uint8Array>);

export interface FileSource {
  content: Content;
  name?: string;
  type?: string;
  isOnce: boolean;
  /** Set if the request reports the progress, because the content cannot. */
  onProgress?: (progress: UploadProgress) => void;
}

interface FileSystem {
  openAsBlob(path: string): Promise<Blob>;
}
interface Runtime {
  getBuiltinModule?: (name: string) => unknown;
}

/** @throws {TypeError} for a path in a browser, which cannot read files by their path */
export async function fileSource(
  file: FileInput,
  onProgress?: (progress: UploadProgress) => void,
): Promise<FileSource> {
  if (file instanceof ReadableStream) {
    return { content: () => counted(file, null, onProgress), isOnce: true };
  }
  const blob = await blobOf(file);
  const name = typeof file === 'object' && 'path' in file ? file.path.split(/[/\\]/).at(-1) : nameOf(file);
  const isCounted = onProgress !== undefined && runsOnServer();
  const content: Content = isCounted ? () => counted(blob.stream(), blob.size, onProgress) : blob;
  return {
    content,
    isOnce: false,
    ...(name !== undefined && { name }),
    ...(blob.type !== '' && { type: blob.type }),
    ...(onProgress && !isCounted && { onProgress }),
  };
}

async function blobOf(file: Exclude<FileInput, ReadableStream<Uint8Array>>): Promise<Blob> {
  if (file instanceof Blob) return file;
  if (typeof file !== 'object' || !('path' in file)) return new Blob([file]);
  const fs = runtime()?.getBuiltinModule?.('node:fs') as FileSystem | undefined;
  if (!fs) throw new TypeError('A browser cannot read a file by its path. Pass a Blob or a stream.');
  return fs.openAsBlob(file.path);
}

function counted(
  stream: ReadableStream<Uint8Array>,
  total: number | null,
  onProgress: ((progress: UploadProgress) => void) | undefined,
): ReadableStream<Uint8Array> {
  if (!onProgress) return stream;
  let sent = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sent += chunk.byteLength;
        controller.enqueue(chunk);
        onProgress({ sent, total });
      },
    }),
  );
}

function nameOf(file: unknown): string | undefined {
  const name = typeof file === 'object' && file !== null && 'name' in file ? file.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Browsers send a stream only over HTTP/2, so they send a Blob, whose progress an XMLHttpRequest reports. */
function runsOnServer(): boolean {
  return runtime()?.getBuiltinModule !== undefined;
}

function runtime(): Runtime | undefined {
  const found: unknown = Reflect.get(globalThis, 'process');
  return found as Runtime | undefined;
}

/**
 * Encodes a form like `fetch`, which reports no progress. The files of the form are read only when the result is sent.
 */
export function formBlob(form: FormData, boundary: string): Blob {
  const parts = [...form].flatMap(([name, value]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (typeof value === 'string') return [`${head}\r\n\r\n${value}\r\n`];
    const type = value.type || 'application/octet-stream';
    return [`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n'];
  });
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
