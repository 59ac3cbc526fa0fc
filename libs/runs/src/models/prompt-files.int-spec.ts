import type { JsonObject } from '@app/kernel';
import type { ModelProvider } from '@app/platform/models';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';
import { ModelServer } from '../../../../test/support/model-server.js';
import type { PromptFile } from '../interpreter/prompt-files.js';
import { askModel } from './model-turns.service.js';
import type { FileContent, ShownFiles } from './shown-files.service.js';
import { WatchedFetch } from './watched-fetch.js';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const PDF = Buffer.from('%PDF-1.4 x');
const [IMAGE, DOCUMENT] = [PNG.toString('base64'), PDF.toString('base64')];

const aFile = (id: string, filename: string): PromptFile => ({ id, filename, contentType: '', bytes: 1, sha256: '' });
const FILES = [aFile('a', 'photo.png'), aFile('b', 'in (1).pdf'), aFile('c', 'list.csv'), aFile('d', 'film.mp4')];
const CONTENTS = new Map<string, FileContent>([
  ['a', { mediaType: 'image/png', bytes: PNG }],
  ['b', { mediaType: 'application/pdf', bytes: PDF }],
  ['c', { text: 'a;b', isTruncated: true }],
]);

type Parts = JsonObject[];
const messages = ({ messages: list }: JsonObject): { role: string; content: Parts }[] =>
  list as { role: string; content: Parts }[];

const TEXTS = ['hi', 'File 1: photo.png', 'File 2: in (1).pdf', 'File 3: list.csv', 'a;b', expect.any(String)];
const [INPUT, FIRST, SECOND, THIRD, CSV, REST, LAST] = [...TEXTS, 'File 4: film.mp4'].map(
  (text) => (type: string | undefined) => ({ ...(type && { type }), text }),
) as ((type?: string) => object)[];

/** The parts of the message, in which `image` and `document` follow their names. */
const around = (type: string | undefined, image: object, document: object) => [
  INPUT!(type),
  FIRST!(type),
  image,
  SECOND!(type),
  document,
  THIRD!(type),
  CSV!(type),
  REST!(type),
  LAST!(type),
];

const chat = (image: object, document: object) => around('text', image, document);
const imageUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } };
const chatFile = {
  type: 'file',
  file: { filename: 'file-2.pdf', file_data: `data:application/pdf;base64,${DOCUMENT}` },
};
const responses = around(
  'input_text',
  { type: 'input_image', image_url: `data:image/png;base64,${IMAGE}` },
  { type: 'input_file', filename: 'file-2.pdf', file_data: `data:application/pdf;base64,${DOCUMENT}` },
);
const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data });

const WIRES: [string, Partial<ModelProvider>, (body: JsonObject) => Parts | undefined, object[]][] = [
  ['openai', { api: 'responses' }, ({ input }) => (input as { content: Parts }[]).at(-1)?.content, responses],
  ['azure', { api: 'responses' }, ({ input }) => (input as { content: Parts }[]).at(-1)?.content, responses],
  ['openai', { api: 'chat' }, (body) => messages(body).at(-1)?.content, chat(imageUrl, chatFile)],
  ['openai-compatible', {}, (body) => messages(body).at(-1)?.content, chat(imageUrl, chatFile)],
  [
    'mistral',
    {},
    (body) => messages(body).at(-1)?.content,
    chat(
      { type: 'image_url', image_url: `data:image/png;base64,${IMAGE}` },
      { type: 'document_url', document_url: `data:application/pdf;base64,${DOCUMENT}` },
    ),
  ],
  [
    'anthropic',
    {},
    (body) => messages(body)[0]?.content,
    chat(
      { type: 'image', source: source('image/png', IMAGE) },
      { type: 'document', title: 'file-2.pdf', source: source('application/pdf', DOCUMENT) },
    ),
  ],
  [
    'google',
    {},
    ({ contents }) => (contents as { parts: Parts }[])[0]?.parts,
    around(
      undefined,
      { inlineData: { mimeType: 'image/png', data: IMAGE } },
      { inlineData: { mimeType: 'application/pdf', data: DOCUMENT } },
    ),
  ],
  [
    'bedrock',
    { aws: { region: 'eu-central-1', keys: null } },
    (body) => messages(body)[0]?.content,
    around(
      undefined,
      { image: { format: 'png', source: { bytes: IMAGE } } },
      { document: { format: 'pdf', name: 'file-2', source: { bytes: DOCUMENT } } },
    ),
  ],
];

describe('the files of an input', () => {
  let server: ModelServer;

  beforeAll(async () => {
    // The loader of the test runner fails if two modules that share a dependency are first imported at the same time.
    for (const name of ['./language-model.js', '@ai-sdk/azure', '@ai-sdk/mistral', '@ai-sdk/google'])
      await import(name);
    await import('@ai-sdk/amazon-bedrock');
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  afterAll(() => server.close());

  const ask = async (
    profile: Partial<ModelProvider>,
    shown: ShownFiles['contents'] = CONTENTS,
  ): Promise<JsonObject> => {
    const provider = aModelProvider({ baseUrl: server.url, apiKey: 'key', api: null, ...profile });
    const model = { provider, name: 'm', fetch: new WatchedFetch(fetch, provider).fetch };
    const call = { params: {}, signal: new AbortController().signal, shown: { facts: [], contents: shown } };
    const prompt = { system: 'Be kind.', tools: [], mayCallTools: true };
    const user = { role: 'user' as const, text: 'hi', files: FILES };
    await askModel(model, call, { ...prompt, messages: [user] }, () => undefined);
    return server.requests.at(-1)!.body;
  };

  it.each(WIRES)('follow it, each after its name, for %s %j', async (type, more, partsOf, expected) => {
    const profile = { type: type as ModelProvider['type'], ...more };
    const body = await ask(profile);
    expect(partsOf(body)).toEqual(expected.map((part) => expect.objectContaining(part)));
    expect(JSON.stringify(await ask(profile))).toBe(JSON.stringify(body));
  });

  it('are only named if the request shows nothing of them', async () => {
    const body = await ask({ type: 'openai-compatible' }, new Map());
    expect(messages(body).at(-1)?.content).toEqual(
      ['hi', ...FILES.map(({ filename }, index) => `File ${index + 1}: ${filename}`)].map((text) => ({
        type: 'text',
        text,
      })),
    );
    expect(messages(body)[0]?.content).toBe('Be kind.');
  });
});
