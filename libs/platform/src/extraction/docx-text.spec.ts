import { deflateRawSync } from 'node:zlib';
import { docxText, unpacksWithin } from './docx-text.js';
import { extract } from './extract.js';

/** Returns a ZIP file whose declared sizes are zero. */
function aZip(files: Record<string, string | Buffer>, method = 8): Buffer {
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = method === 8 ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.write('PK\x03\x04', 'latin1');
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, data);
    entries.push(entry, Buffer.from(name));
    at += local.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

/** Returns a Word document with this body. */
function aDocx(body: string): Buffer {
  const types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>';
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
  const document = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>${body}</w:body></w:document>`;
  return aZip({ '[Content_Types].xml': types, '_rels/.rels': relations, 'word/document.xml': document });
}

describe('the text of a Word document', () => {
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const math = (name: string, ...parts: string[]) => `<m:${name}>${parts.join('')}</m:${name}>`;
  const term = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;

  it('contains the results of simple fields', async () => {
    const field = `<w:fldSimple w:instr=" IF 1 > 0 &quot;a&quot; ">${run('Ann')}</w:fldSimple>`;
    const empty = '<w:fldSimple w:instr="SEQ"/>';
    expect((await docxText(aDocx(`<w:p>${run('Dear ')}${field}${empty}${run(' &amp; Bob')}</w:p>`))).text).toBe(
      'Dear Ann & Bob',
    );
  });

  it.each([
    ['E=mc^2', term('E=m') + math('sSup', math('e', term('c')), math('sup', term('2')))],
    ['(a+b)/2', math('f', math('num', term('a+b')), math('den', term('2')))],
    [
      '∑_(i=1)^n x_i',
      math(
        'nary',
        '<m:naryPr><m:chr m:val="∑"/></m:naryPr>',
        math('sub', term('i=1')),
        math('sup', term('n')),
        math('e', math('sSub', math('e', term('x')), math('sub', term('i')))),
      ),
    ],
    ['√(x)', math('rad', math('deg'), math('e', term('x')))],
    ['[a &lt; b]', math('d', '<m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>', math('e', term('a &lt; b')))],
    [
      '1 0; 0 1',
      math(
        'm',
        math('mr', math('e', term('1')), math('e', term('0'))),
        math('mr', math('e', term('0')), math('e', term('1'))),
      ),
    ],
    ['sin x', math('func', math('fName', term('sin')), math('e', term('x')))],
  ])('contains formulas as linear text: %s', async (text, formula) => {
    const document = aDocx(`<w:p>${run('Formula ')}<m:oMath>${formula}</m:oMath>${run('.')}</w:p>
      <w:p><m:oMathPara><m:oMath>${formula}</m:oMath></m:oMathPara></w:p>`);
    const plain = text.replace('&lt;', '<');
    expect((await docxText(document)).text).toBe(`Formula ${plain}.\n\n${plain}`);
  });

  it('is missing in an empty document, which cannot be read', async () => {
    await expect(extract({ bytes: aDocx('<w:p/>'), contentType: '', url: 'a.docx' })).rejects.toMatchObject({
      code: 'document_unreadable',
      message: 'The Word document contains no text.',
    });
  });

  it('keeps the rows of a table together', async () => {
    const cell = (...texts: string[]) => `<w:tc>${texts.map((text) => `<w:p>${run(text)}</w:p>`).join('')}</w:tc>`;
    const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
    const table = `<w:tbl>${row(cell('Fee'), cell('Amount'))}${row(cell('Late', 'per day'), cell('99 EUR'))}</w:tbl>`;
    expect((await docxText(aDocx(table))).text).toBe('| Fee | Amount\n\n| Late\nper day | 99 EUR');
  });
});

describe('the unpacked size of a file', () => {
  it('is measured by unpacking it, not by the declared size', () => {
    for (const method of [0, 8]) {
      const zip = aZip({ '': Buffer.alloc(1_000) }, method);
      expect([unpacksWithin(zip, 1_001), unpacksWithin(zip, 1_000), unpacksWithin(zip, 10)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it('is refused for a Word document that would not fit into memory', async () => {
    const bomb = aZip({ '': Buffer.alloc(129 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    await expect(docxText(bomb)).rejects.toMatchObject({ code: 'document_too_large' });
  });

  it('is not measured if the file is damaged', () => {
    const zip = aZip({ '': Buffer.alloc(1_000, 'x') });
    for (const damaged of [Buffer.alloc(0), Buffer.from('no zip'), zip.subarray(0, -1), zip.subarray(20)])
      expect(() => unpacksWithin(damaged, 10_000)).toThrow();
  });
});
