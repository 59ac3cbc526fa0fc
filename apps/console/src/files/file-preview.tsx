import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { aas } from '../data/api.js';
import { withRecentSignIn } from '../data/step-up.js';
import frames from '../ui/json-view.module.css';
import { ProblemAlert } from '../ui/problem.js';
import type { FileValue } from './file-value.js';
import styles from './files.module.css';

/** SVG is not among them, because it can run scripts. It is shown as text. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const EXTRACTED: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]);
const TEXT = /^(text\/.+|application\/(json|xml|yaml)|.+\+(json|xml))$/;

const MAX_IMAGE_BYTES = 20 * 1024 ** 2;
const FIRST_BYTES = 64 * 1024;

/** Returns why the file has no preview, or null. */
export function previewRefusal({ content_type: type, bytes }: FileValue): string | null {
  if (IMAGES.has(type)) return bytes > MAX_IMAGE_BYTES ? 'The image is too large for a preview.' : null;
  return EXTRACTED.has(type) || TEXT.test(type) ? null : `Files of the type ${type} have no preview.`;
}

interface Preview {
  image?: Blob;
  text?: string;
  isCut?: boolean;
}

export interface FilePreviewProps {
  file: FileValue;
  reveal: boolean;
}

/** Shows an image, or the text of any other file. Nothing in the file is rendered or run. */
export function FilePreview({ file, reveal }: FilePreviewProps): ReactNode {
  const { data, error, isPending } = useQuery({
    queryKey: ['file-preview', file.file, reveal],
    queryFn: () => withRecentSignIn(() => readPreview(file, reveal)),
    gcTime: 0,
    staleTime: Infinity,
  });
  return (
    <div className={styles.preview} aria-busy={isPending}>
      <ProblemAlert error={error} />
      {isPending && <p className={styles.second}>The file is being read.</p>}
      {data?.image && <Picture image={data.image} name={file.filename} />}
      {data?.text !== undefined && <TextPreview text={data.text} name={file.filename} />}
      {data?.isCut === true && <p className={styles.second}>The file has more text. Download it to read the rest.</p>}
    </div>
  );
}

function TextPreview({ text, name }: { text: string; name: string }): ReactNode {
  if (text === '') return <p>The file has no text.</p>;
  return (
    <pre className={frames.frame} tabIndex={0} role="region" aria-label={`Text of ${name}`} dir="auto">
      {text}
    </pre>
  );
}

function Picture({ image, name }: { image: Blob; name: string }): ReactNode {
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const address = URL.createObjectURL(image);
    setUrl(address);
    return () => URL.revokeObjectURL(address);
  }, [image]);
  if (isBroken) return <p>The browser cannot show this image. Download the file instead.</p>;
  return url === undefined ? null : <img src={url} alt={name} onError={() => setBroken(true)} />;
}

async function readPreview({ file, content_type: type, bytes }: FileValue, reveal: boolean): Promise<Preview> {
  if (EXTRACTED.has(type)) {
    const { text, truncated } = await aas.files.text(file, { reveal });
    return { text, isCut: truncated };
  }
  const isImage = IMAGES.has(type);
  const headers: Record<string, string> =
    isImage || bytes <= FIRST_BYTES ? {} : { range: `bytes=0-${FIRST_BYTES - 1}` };
  const { body } = await aas.files.download(file, { headers, reveal });
  const content = await new Response(body).arrayBuffer();
  if (isImage) return { image: new Blob([content], { type }) };
  return { text: decoded(new Uint8Array(content)), isCut: bytes > FIRST_BYTES };
}

/** Text of the service is UTF-8, or UTF-16 with a byte order mark. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : '';
  return new TextDecoder(encoding === '' ? 'utf-8' : encoding).decode(bytes);
}
