import { EgressClient } from '@app/platform/egress';
import { SiteServer } from '../../../../test/support/site-server.js';
import { readSitemap } from './sitemap-reader.js';

describe('readSitemap', () => {
  let site: SiteServer;
  let egress: EgressClient;

  beforeAll(async () => {
    site = await SiteServer.start();
    egress = new EgressClient({ allow: ['127.0.0.1'] });
  });

  afterAll(async () => {
    await egress.onApplicationShutdown();
    await site.stop();
  });

  async function read(
    body: string | Buffer,
    type = 'application/xml',
  ): Promise<{ pages: string[]; reasons: string[] }> {
    site.set('/sitemaps/s', { body, type });
    const [pages, reasons]: [string[], string[]] = [[], []];
    const onIncomplete = ({ message }: { message: string }): void => void reasons.push(message);
    const reading = { signal: AbortSignal.timeout(20_000), onIncomplete };
    for await (const batch of readSitemap(egress, `${site.url}/sitemaps/s`, reading))
      pages.push(...batch.map((page) => page.replace(site.url, '')));
    return { pages, reasons };
  }

  const a = (): string => `${site.url}/a`;

  it.each<[string, () => string | Buffer, string]>([
    ['XML', () => `<urlset><url><loc>\n${a()} </loc></url></urlset>`, 'application/xml'],
    ['XML with a prefix', () => `<s:urlset><s:url><s:loc>${a()}</s:loc></s:url></s:urlset>`, 'application/xml'],
    ['text', () => `\ufeff${a()}\r\n\r\n`, 'text/plain'],
    [
      'RSS 2.0',
      () => `<rss><channel><link>${site.url}</link><item><link><![CDATA[${a()}]]></link></item></channel></rss>`,
      'application/rss+xml',
    ],
    ['RSS 1.0', () => `<rdf:RDF><item><link>${a()}</link></item></rdf:RDF>`, 'application/rdf+xml'],
    [
      'Atom',
      () => `<feed><link href="/"/><entry><link rel="self" href="/b"/><link href="${a()}"/></entry></feed>`,
      'application/atom+xml',
    ],
    [
      'RSS with an Atom link',
      () => `<rss><channel><item><atom:link href="/b" rel="self"/><link>${a()}</link></item></channel></rss>`,
      'text/xml',
    ],
    [
      'UTF-16',
      () =>
        Buffer.from(
          `\ufeff<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>${a()}</loc></url></urlset>`,
          'utf16le',
        ),
      'application/xml',
    ],
    ['relative addresses', () => '<urlset><url><loc>/a</loc></url></urlset>', 'application/xml'],
  ])('reads %s', async (_, body, type) => {
    expect(await read(body(), type)).toEqual({ pages: ['/a'], reasons: [] });
  });

  it('reports entries without a usable address', async () => {
    const entries = [
      '<url/>',
      '<url><loc>mailto:a@b.example</loc></url>',
      '<url><loc>no address</loc></url>',
      '<url><loc>/a</loc></url>',
    ];
    const { pages, reasons } = await read(`<urlset>${entries.join('')}</urlset>`);
    expect(pages).toEqual(['/a']);
    expect(reasons).toEqual([expect.stringContaining('Their number is 3.')]);
  });

  it.each(['<html><body>No sitemap</body></html>', 'No sitemap', '', '<rss><channel><item><link>/a</link>'])(
    'rejects %j',
    async (body) => {
      await expect(read(body)).rejects.toMatchObject({ code: 'sitemap_unreadable' });
    },
  );
});
