import iconv from 'iconv-lite';
import { decodeText, type TextOrigin } from './index.js';

const text = (bytes: Uint8Array, origin?: TextOrigin): string => decodeText(bytes, origin).text;

describe('text from outside', () => {
  it.each([
    ['Região grátis', 'iso-8859-1'],
    ['é 5 €', 'iso-8859-15'],
    ['€;ü', 'windows-1252'],
    ['你好', 'gbk'],
    ['こんにちは', 'shift_jis'],
    ['Grüße', 'utf-16le'],
    ['Grüße', 'utf-16be'],
    ['Grüße 😀', 'utf-32le'],
    ['M\u00fcller', 'cp850'],
  ])('is decoded with the charset of the media type: %s in %s', (given, charset) => {
    for (const contentType of [`text/csv;charset=${charset.toUpperCase()}`, `text/csv; a=b; charset="${charset}"`])
      expect(decodeText(iconv.encode(given, charset), { contentType })).toMatchObject({ text: given, replaced: 0 });
  });

  it.each(['utf8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    'loses its byte order mark in %s, which precedes the charset',
    (encoding) => {
      const bytes = iconv.encode('{"n":"Köln"}', encoding, { addBOM: true });
      expect(text(bytes, { contentType: 'application/json; charset=iso-8859-1' })).toBe('{"n":"Köln"}');
    },
  );

  it.each([
    '<?xml version="1.0" encoding="iso-8859-2"?><a>ł</a>',
    "<?xml version='1.0' encoding='ISO-8859-2'?><a>ł</a>",
    '<html><meta charset=iso-8859-2><p>ł',
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>ł',
    '<meta http-equiv=Content-Type content="text/html; charset=\niso-8859-2"><p>ł',
  ])('is decoded as it declares: %s', (markup) => {
    expect(text(iconv.encode(markup, 'iso-8859-2'), { isMarkup: true })).toBe(markup);
    expect(text(iconv.encode(markup, 'iso-8859-2'))).not.toContain('\uFFFD');
  });

  it.each([
    ['Name;Ort\r\nMüllerhausen;Köln\r\n', 'windows-1252'],
    ['Grüße', 'windows-1252'],
    ['Prénom invalide', 'windows-1252'],
    ['Ä', 'windows-1252'],
    ['ÄÖÜ', 'windows-1252'],
    ['créée', 'windows-1252'],
    ['5 € – “quoted”', 'windows-1252'],
    ['产品手册', 'gbk'],
    ['名称;城市\r\n产品;北京\r\n', 'gbk'],
    ['欢迎使用本产品，请先阅读说明书。', 'gb18030'],
    ['歡迎使用本產品，請先閱讀說明書。', 'big5'],
    ['こんにちは、世界。これはテストです。', 'shift_jis'],
    ['Привет, мир! Это тест.', 'windows-1251'],
    ['Привет, мир! Это тест.', 'koi8-r'],
    ['{"n":"Grüße"}', 'utf-16le'],
    ['{"n":"Grüße"}', 'utf-16be'],
    ['Grüße', 'utf8'],
  ])('is detected if nothing is declared: %j in %s', (given, charset) => {
    expect(decodeText(iconv.encode(given, charset))).toMatchObject({ text: given, replaced: 0 });
  });

  it('ignores a charset that does not exist', () => {
    const contentType = 'text/plain; charset=x-unknown';
    expect(text(Buffer.from('Grüße', 'latin1'), { contentType })).toBe('Grüße');
    expect(text(Buffer.from('Grüße'), { contentType: 'text/plain; charset=base64' })).toBe('Grüße');
  });

  it('counts the places that cannot be decoded', () => {
    const contentType = 'text/plain; charset=utf-8';
    const given = Buffer.from(`a\xffb\xff${'x'.repeat(300)}`, 'latin1');
    expect(decodeText(given, { contentType })).toMatchObject({ encoding: 'utf-8', replaced: 2 });
    expect(text(given, { contentType })).toMatch(/^a\uFFFDb\uFFFDx/);
  });

  it('is detected if it is not in the declared encoding', () => {
    expect(text(Buffer.from('Grüße', 'latin1'), { contentType: 'text/plain; charset=utf-8' })).toBe('Grüße');
    expect(text(Buffer.from('<meta charset=utf-8>Gr\xfc\xdfe', 'latin1'), { isMarkup: true })).toMatch('Grüße');
  });

  it('may end inside a character if it is only a part', () => {
    const part = Buffer.from('Größe €').subarray(0, -1);
    expect(decodeText(part, { isPartial: true })).toMatchObject({ text: 'Größe ', replaced: 0 });
  });
});
