import { once } from 'node:events';
import fc from 'fast-check';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { readDataInOnePass } from './smtp-data-stream.js';

interface Parsed {
  data: string;
  /** Lines that follow the mail. They are SMTP commands. */
  commands: string[];
  bytes: number;
}

const ofTheLibrary = SMTPStream.prototype._feedDataStream;

async function parse(chunks: readonly Buffer[], onWrite: (bytes: Buffer) => void = () => undefined): Promise<Parsed> {
  const parser = new SMTPStream();
  const commands: string[] = [];
  const parts: Buffer[] = [];
  parser.oncommand = (command, next) => {
    commands.push(command.toString('latin1'));
    next?.();
  };
  const stream = parser.startDataMode();
  let bytes = 0;
  const write = stream.write.bind(stream);
  stream.write = (chunk: Buffer, ...rest: never[]) => {
    onWrite(chunk);
    return write(chunk, ...rest);
  };
  stream.on('data', (chunk: Buffer) => parts.push(chunk));
  stream.on('end', () => {
    bytes = stream.byteLength;
    parser.continue();
  });
  for (const chunk of chunks) if (!parser.write(chunk)) await once(parser, 'drain');
  parser.end();
  await once(parser, 'finish');
  if (!stream.readableEnded) stream.end();
  return { data: Buffer.concat(parts).toString('latin1'), commands, bytes };
}

describe('the data of a mail', () => {
  afterEach(() => {
    SMTPStream.prototype._feedDataStream = ofTheLibrary;
  });

  it('is read as smtp-server reads it, however it is cut into chunks', async () => {
    const piece = fc.constantFrom(
      '.',
      '..',
      '...',
      '\r\n',
      '\n',
      '\r',
      '\r\n.',
      '\r\n..',
      '\r\n.\r',
      '\n.\r\n',
      'a',
      'text of a line',
    );
    const mail = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(mail, cuts, async (text, lengths) => {
        const bytes = Buffer.from(`${text}\r\n.\r\nNOOP\r\nQUIT\r\n`, 'latin1');
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += lengths[chunks.length % lengths.length]!)
          chunks.push(bytes.subarray(at, at + lengths[chunks.length % lengths.length]!));
        SMTPStream.prototype._feedDataStream = ofTheLibrary;
        const expected = await parse(chunks);
        readDataInOnePass();
        expect(await parse(chunks)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('is written once per chunk, whatever its lines begin with', async () => {
    readDataInOnePass();
    const chunks = Array.from({ length: 16 }, () => Buffer.alloc(64 * 1024, '..\r\n'));
    let writes = 0;
    const { data } = await parse([...chunks, Buffer.from('.\r\n')], () => (writes += 1));
    expect(data.length).toBe(16 * 16 * 1024 * 3);
    expect(writes).toBeLessThanOrEqual(chunks.length);
  });
});
