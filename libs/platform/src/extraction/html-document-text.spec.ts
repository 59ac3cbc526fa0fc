import { htmlDocumentText, MAX_LINKS } from './html-document-text.js';

const AT = 'https://example.com/docs/page?x=1';

describe('the text of a page', () => {
  it('has headings as Markdown, and omits navigation, scripts and footers', () => {
    const html = `<html><head><title> The  title </title><script>var x = '<p>no</p>'</script></head><body>
      <nav><a href="/a">A</a></nav><main><h1>Refunds</h1><p>Within <b>30</b> days,<br>or   later.</p>
      <h2>How</h2><ul><li>Write</li><li>Wait</li></ul><pre>a
  b</pre><div hidden>secret</div></main><footer>Imprint</footer></body></html>`;
    const { title, text } = htmlDocumentText(html, AT);
    expect(title).toBe('The title');
    expect(text).toBe('# Refunds\n\nWithin 30 days,\nor later.\n\n## How\n\n- Write\n\n- Wait\n\n```\na\n  b\n```');
  });

  it('has preformatted text as fenced code without headings', () => {
    const shell =
      '<h1>Setup</h1><pre><code class="sh"># install\n\n  apt install x\n<h2># run</h2># stop</code></pre><p>Then.';
    expect(htmlDocumentText(shell, null).text).toBe(
      '# Setup\n\n```\n# install\n\n  apt install x\n# run\n# stop\n```\n\nThen.',
    );
    expect(htmlDocumentText('<pre>a ``` b</pre>', null).text).toBe('````\na ``` b\n````');
    expect(htmlDocumentText('<pre>  \n </pre><p>x', null).text).toBe('x');
    expect(htmlDocumentText('<pre><div>one</div><div>two</div>three<br>four</pre>', null).text).toBe(
      '```\none\ntwo\nthree\nfour\n```',
    );
  });

  it('escapes lines that Markdown would read as a heading or a fence', () => {
    const text = '<p><code># apt update</code></p><p>one<br>## two</p><p>```</p><ul><li># three</ul>';
    expect(htmlDocumentText(text, null).text).toBe('\\# apt update\n\none\n\\## two\n\n\\```\n\n- # three');
  });

  it('is the whole page if it has no main part, or if the main part is nearly empty', () => {
    expect(htmlDocumentText('<body><p>One</p><p>Two &amp; three</p></body>', AT).text).toBe('One\n\nTwo & three');
    const long = 'words '.repeat(100).trim();
    expect(htmlDocumentText(`<body><p>${long}</p><main>Short</main></body>`, AT).text).toBe(`${long}\n\nShort`);
  });

  it('names as many links as a source may have pages, up to a limit', () => {
    const linking = (count: number) =>
      Array.from({ length: count }, (_, index) => `<a href="/${index}">x</a>`).join('');
    const { links } = htmlDocumentText(linking(MAX_LINKS + 1), 'https://example.com/');
    expect(links).toHaveLength(MAX_LINKS);
    expect(links.at(-1)).toBe(`https://example.com/${MAX_LINKS - 1}`);
  });

  it('names each link once, absolute and without a fragment, and names the robots directives', () => {
    const html = `<head><link rel="canonical" href="/docs/page"><meta name="robots" content="NoIndex, follow"></head>
      <a href="other#top">1</a><a href="/docs/other">2</a><a href="mailto:a@example.com">3</a><a href="javascript:x">4</a>
      <a rel="nofollow" href="/ad">5</a><a href="http://[">6</a><nav><a href="../up">7</a></nav>`;
    expect(htmlDocumentText(html, AT)).toMatchObject({
      links: ['https://example.com/docs/other', 'https://example.com/up'],
      canonical: 'https://example.com/docs/page',
      robots: ['noindex', 'follow'],
    });
  });

  it('is found if the end tag of the head is missing, and if a form encloses the page', () => {
    expect(htmlDocumentText('<html><head><title>T</title><meta name=x><p>One<p>Two', AT)).toMatchObject({
      title: 'T',
      text: 'One\n\nTwo',
    });
    const form =
      '<body><form id="page"><h1>Title</h1><p>Words</p><select><option>no</select><button>Go</button></form>';
    expect(htmlDocumentText(form, AT).text).toBe('# Title\n\nWords');
  });

  it('combines the robots directives of all elements', () => {
    const html = '<meta name="robots" content="noindex"><meta name="ROBOTS" content="nofollow,noarchive">';
    expect(htmlDocumentText(html, AT).robots).toEqual(['noindex', 'nofollow', 'noarchive']);
  });

  it('names the target of a refresh as a link', () => {
    const refresh = (content: string) => htmlDocumentText(`<meta http-equiv="Refresh" content="${content}">`, AT).links;
    expect([refresh('0; url=en/'), refresh("5;URL='/a'"), refresh('30')]).toEqual([
      ['https://example.com/docs/en/'],
      ['https://example.com/a'],
      [],
    ]);
  });

  it('keeps the rows of a table together if the cells contain blocks', () => {
    const read = (html: string) => htmlDocumentText(html, null).text;
    expect(read('<table><tr> <td> <p>Late</p> </td>\n<td><div>99</div> EUR</td></tr></table><p>end')).toBe(
      '| Late | 99\nEUR\n\nend',
    );
    expect(read('<table><tr><td><ul><li>a<li>b</ul><td>c</table>')).toBe('| a\nb | c');
    expect(read('<table><tr><td><p>a<table><tr><td><p>b</table><p>c<td>d</table>')).toBe('| a\n\n| b\n\nc | d');
    expect(read('<table><tr><td><h2>Head</h2><p>a</p><p>b</p></table>')).toBe('|\n\n## Head\n\na\nb');
  });

  it('is found in deeply nested, broken and long pages', () => {
    const deep = `${'<div>'.repeat(20_000)}deep${'</div>'.repeat(20_000)}`;
    expect(htmlDocumentText(deep, AT).text).toBe('deep');
    expect(htmlDocumentText('<p>one<p>two<td>three</b></i><h1>four', null).text).toBe('one\n\ntwo | three\n\n# four');
    expect(htmlDocumentText(`<p>${'a '.repeat(200_000)}</p>`, AT).text).toHaveLength(399_999);
  });
});
