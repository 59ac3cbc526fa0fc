import { aPdf } from '../../../../test/support/site-server.js';
import { extract } from './extract.js';
import { parsePages } from './extracted-text.js';

const read = (text: string | Uint8Array, contentType: string, url: string | null = null) =>
  extract({ bytes: typeof text === 'string' ? Buffer.from(text) : text, contentType, url });

describe('the text of a document', () => {
  it('is read by its media type, and by its name if the type is generic', async () => {
    expect(await read('# Title\r\n\r\nText', 'text/markdown')).toMatchObject({
      title: 'Title',
      text: '# Title\n\nText',
    });
    expect(await read('# Title', 'text/plain')).toMatchObject({ title: null, text: '# Title' });
    expect(await read('# Title', 'text/plain', 'a.md')).toMatchObject({ title: 'Title' });
    expect(await read('<p>x', 'application/octet-stream', 'a.html?y')).toMatchObject({ text: 'x' });
    await expect(read('x', 'image/png', 'a.md')).rejects.toMatchObject({ code: 'unsupported_media_type' });
    await expect(read('x', '', 'a.exe')).rejects.toMatchObject({ code: 'unsupported_media_type' });
  });

  it('is that of the chosen pages of a PDF, and may be empty if the reader accepts it', async () => {
    const bytes = aPdf('one', 'two', '', 'four').body as Buffer;
    const of = (text: string) =>
      extract({ bytes, contentType: 'application/pdf', url: null, acceptsEmpty: true, pages: parsePages(text)! });
    expect(await of('1-2,4')).toMatchObject({ text: 'one\n\ntwo\n\nfour', pages: 4 });
    expect(await of('2-90')).toMatchObject({ text: 'two\n\nfour', pages: 4 });
    expect(await of('3')).toMatchObject({ text: '', pages: 4 });
    for (const text of ['', '0', '3-2', '1,', 'a', '-1']) expect(parsePages(text)).toBeUndefined();
  });

  it('is decoded by its byte order mark, its media type or the declaration of the page', async () => {
    const latin = Buffer.from('caf\u00e9', 'latin1');
    expect(await read(latin, 'text/plain; charset=iso-8859-1')).toMatchObject({ text: 'café' });
    const page = Buffer.concat([Buffer.from('<meta charset="iso-8859-1"><p>'), latin]);
    expect(await read(page, 'text/html')).toMatchObject({ text: 'café' });
    expect(await read(Buffer.from('\ufeffcafé', 'utf16le'), 'text/plain')).toMatchObject({ text: 'café' });
    expect(await read('café', 'text/plain; charset=unheard-of')).toMatchObject({ text: 'café' });
  });

  it('counts the places that are invalid in its encoding', async () => {
    const damaged = Buffer.concat([Buffer.from('word '.repeat(100)), Buffer.from([0xff]), Buffer.from(' end')]);
    for (const type of ['text/plain', 'text/html', 'text/markdown'])
      expect(await read(damaged, `${type}; charset=utf-8`)).toMatchObject({ replaced: 1 });
    expect(await read('\ufffd', 'text/plain')).not.toHaveProperty('replaced');
  });

  it('is detected if nothing declares it', async () => {
    const csv = Buffer.from('Name;Ort\r\nM\xfcllerhausen;K\xf6ln\r\n', 'latin1');
    expect(await read(csv, 'text/csv')).toMatchObject({ text: 'Name;Ort\nMüllerhausen;Köln' });
    const gbk = Buffer.from([0xb2, 0xfa, 0xc6, 0xb7, 0xca, 0xd6, 0xb2, 0xe1]);
    expect(await read(gbk, 'text/plain')).toMatchObject({ text: '产品手册' });
    expect(await read(Buffer.from('Müller', 'utf16le'), '', 'a.txt')).toMatchObject({ text: 'Müller' });
    expect(await read(Buffer.from('<p>M\xfcller</p>', 'latin1'), 'text/html')).toMatchObject({ text: 'Müller' });
  });

  it('is decoded by the byte order mark before the type, and by the page if the type names no encoding', async () => {
    const marked = Buffer.from('\ufeff<p>Байты</p>');
    expect(await read(marked, 'text/html; charset=windows-1251')).toMatchObject({ text: 'Байты' });
    const cyrillic = Buffer.concat([Buffer.from('<meta charset=windows-1251><p>'), Buffer.from([0xc4, 0xe0])]);
    for (const type of ['text/html', 'text/html; charset=none', "text/html; charset='windows-1251'"])
      expect(await read(cyrillic, type)).toMatchObject({ text: 'Да' });
    const mistaken = Buffer.from('<meta charset="utf-16"><p>Мета</p>');
    expect(await read(mistaken, 'text/html')).toMatchObject({ text: 'Мета' });
  });

  it('has the title of its front matter, which is not searched for headings', async () => {
    const titleOf = async (text: string) => (await read(text, 'text/markdown')).title;
    expect(await titleOf('---\ntags: [a]\ntitle: "About: refunds"\n---\n# Other')).toBe('About: refunds');
    expect(await titleOf("---\ntitle: It's so\n---\nText")).toBe("It's so");
    expect(await titleOf('---\n# a comment\ntitle: >-\n  long\n---\n\n# Heading\n')).toBe('Heading');
    expect(await titleOf('---\n\n# Heading below a line')).toBe('Heading below a line');
    expect(await titleOf('```sh\n# a comment\n```\n\n## Second\n\n# First #')).toBe('First');
  });

  it('is read as a PDF if the content is one, and refused if the content is binary, whatever the type', async () => {
    const { body } = aPdf('Refunds within thirty days');
    for (const type of ['text/html', 'text/plain', 'application/octet-stream'])
      expect((await read(Buffer.from(body), type)).text).toContain('Refunds within thirty days');
    const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(200, '\0IHDR')]);
    for (const type of ['text/html', 'text/plain'])
      await expect(read(picture, type)).rejects.toMatchObject({ code: 'document_unreadable' });
    expect(await read('one\0 is let through', 'text/plain')).toMatchObject({ title: null });
  });

  it('is the unchanged lines of a CSV file', async () => {
    expect(await read('a,b\r\n"c ""d"",",e', 'text/csv')).toMatchObject({ text: 'a,b\n"c ""d"",",e' });
  });

  it('cannot be read if the document contains none', async () => {
    const scanned = aPdf('').body;
    await expect(read(Buffer.from(scanned), 'application/pdf')).rejects.toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining('scanned') as unknown,
    });
  });

  it.each(['a.md', 'a.pdf', 'a.txt'])('cannot be read if %s is a pointer of Git LFS', async (name) => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
    await expect(read(pointer, '', name)).rejects.toMatchObject({ code: 'lfs_pointer' });
    expect(await read(`# About pointers\n\n${pointer}`, '', name.replace('pdf', 'md'))).toMatchObject({
      text: expect.anything() as unknown,
    });
  });

  it('cannot be read if the file is broken', async () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    await expect(read('no zip', docx)).rejects.toMatchObject({ code: 'document_unreadable' });
    await expect(read('%PDF-1.4 and then nothing', 'application/pdf')).rejects.toMatchObject({
      code: 'document_unreadable',
    });
  });
});
