import { newId } from '@app/kernel';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import type { SourceScope } from '../documents/storable-document.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';
import type { RunReader } from './run-reader.js';

describe('KnowledgeSearchService', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let scope: SourceScope;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await KnowledgeScene.open(database.url);
  });

  afterAll(async () => {
    await scene.close();
    await database.drop();
  });

  beforeEach(async () => {
    scope = await scene.aSource(await scene.aBase());
  });

  const put = (texts: Record<string, string>) =>
    scene.index.putMany(
      scope,
      Object.entries(texts).map(([key, text]) => aDocument(key, text)),
    );

  const found = async (query: string, reader: RunReader | null = null, base = scope.knowledgeBaseId) => {
    const outcome = await scene.search.search(scope.workspaceId, { base, query, reader, topK: 5 });
    return outcome.status === 'found' ? outcome.passages : outcome.status;
  };

  const titles = async (query: string) => {
    const passages = await found(query);
    return Array.isArray(passages) ? passages.map(({ document }) => document.title) : passages;
  };

  it('finds passages by inflected words, best first, with their offsets', async () => {
    const text = '# Returns\n\nGoods can be returned.\n\n# Payment\n\nRefunds are paid within five days.';
    await put({
      a: text,
      b: 'We ship on Mondays.',
      c: 'Paid refunding of refunds: every refund is paid, says no document about it.',
    });
    const passages = await found('When is the refund paid?');
    expect(passages).toHaveLength(2);
    expect(passages[0]).toMatchObject({ document: { title: 'c', url: null, version: 1 } });
    expect(passages[1]).toMatchObject({
      chunk: 1,
      heading: 'Payment',
      text: 'Refunds are paid within five days.',
      start: text.indexOf('Refunds'),
      end: text.length,
    });
    for (const { score } of passages as { score: number }[]) expect(score > 0 && score <= 1).toBe(true);
  });

  it('weights title and headings higher than the text', async () => {
    await put({
      text: '# Other\n\nwarranty here and more words',
      heading: '# Warranty\n\nnothing here and more words',
    });
    expect(await titles('warranty')).toEqual(['heading', 'text']);
  });

  it('weights rare words higher than common ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`o${n}`, `order number ${n}`]));
    await put({ ...many, rare: 'about vouchers', both: 'order vouchers' });
    expect((await titles('order voucher')).slice(0, 2)).toEqual(['both', 'rare']);
  });

  it('requires the words of a phrase to be adjacent', async () => {
    await put({ a: 'paid within five working days', b: 'five people, paid within days', c: 'within five days' });
    expect(await titles('"within five"')).toEqual(expect.arrayContaining(['a', 'c']));
    expect(await titles('"within five days" paid')).toEqual(['c']);
    expect(await titles('"days within"')).toEqual([]);
  });

  it('corrects misspelt words only', async () => {
    await put({ a: 'Refunds are paid.', b: 'Shipping is free.', c: 'The warranty lasts two years.' });
    expect(await titles('refnud')).toEqual(['a']);
    expect(await titles('shiping')).toEqual(['b']);
    expect(await titles('waranty lasts')).toEqual(['c']);
    expect(await titles('qqqqqq')).toEqual([]);
  });

  it('searches each document in its own language', async () => {
    await put({
      en: 'The houses of the neighbours are sold by the owner.',
      de: 'Die Häuser der Nachbarn werden von dem Eigentümer verkauft und nicht vermietet.',
      fr: 'Les maisons des voisins sont vendues par le propriétaire et ne sont pas louées.',
      ru: 'Дома соседей продаются владельцем.',
      zh: '退款政策适用于所有订单。',
    });
    expect(await titles('house')).toEqual(['en']);
    expect(await titles('Haus')).toEqual(['de']);
    expect(await titles('maison')).toEqual(['fr']);
    expect(await titles('домов')).toEqual(['ru']);
    expect(await titles('退款')).toEqual(['zh']);
  });

  it('ignores stop words of one language in documents of another', async () => {
    const english = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `en${n}`,
        `This is what to do with order ${n} and how it is to be paid for.`,
      ]),
    );
    // This document is treated as German, in which "what", "is", "to" and "do" are not stop words. The ranking must
    // still not treat these words as rare and significant.
    await put({
      de: 'Die Anleitung what is to do: Hier steht, was mit der Ware nach dem Kauf zu tun ist und wer sie bezahlt.',
    });
    await put({ ...english, right: 'What is to do with a voucher: it is to be redeemed by the customer at the desk.' });
    expect((await titles('what is to do with the voucher'))[0]).toBe('right');
  });

  it('treats rare detected languages as the main language', async () => {
    await put(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`en${n}`, `The orders of customer ${n} are shipped by the warehouse.`]),
      ),
    );
    await put({
      pt: 'Os produtos não são devolvidos em mais de 30 dias, e o reembolso do valor é para uma conta. Returned vouchers.',
    });
    const languages = await scene.query<{ language: string }>(
      'select distinct language from knowledge_documents where knowledge_base_id = $1',
      [scope.knowledgeBaseId],
    );
    expect(languages).toEqual([{ language: 'english' }]);
    expect((await titles('return a voucher'))[0]).toBe('pt');
  });

  it('ranks compound names before texts with their parts', async () => {
    await put({
      parts: 'The activity of a page: pg stat, stat activity, more activity and stat again.',
      name: 'Each session has a row in pg_stat_activity, and this text has many other words as well.',
      path: 'Call os.path.join with the parts of a path.',
      other: 'The path to join is a path of the os that you join.',
    });
    expect((await titles('pg_stat_activity'))[0]).toBe('name');
    expect((await titles('os.path.join'))[0]).toBe('path');
    expect(await titles('"pg_stat_activity"')).toEqual(['name']);
  });

  it('prefers documents whose title, address and whole text match', async () => {
    const about = (title: string, text: string, url: string | null = null) => aDocument(title, text, { title, url });
    const filler = 'Some more words follow here so that no text is much shorter than the others are.';
    await scene.index.putMany(scope, [
      about('Vouchers', `Every voucher is worth money. ${filler}`),
      about('Letters', `A voucher is in a letter, and a voucher is sent. ${filler}`),
      about('Page two', `A parcel is heavy. ${filler}`, 'https://example.com/x.html'),
      about('Page one', `A parcel is heavy. ${filler}`, 'https://example.com/parcel.html'),
    ]);
    expect((await titles('vouchers'))[0]).toBe('Vouchers');
    expect(await titles('parcel')).toEqual(['Page one', 'Page two']);
  });

  it('does not fill the result with passages of one document', async () => {
    const long = Array.from({ length: 12 }, (_, n) => `# Part ${n}\n\nThe refund of part ${n} is a refund.`).join(
      '\n\n',
    );
    await put({
      long,
      a: 'A refund takes days, and this text has many more words.',
      b: 'No refund for food, and this text has many more words.',
    });
    expect(await titles('refund')).toEqual(expect.arrayContaining(['long', 'a', 'b']));
    const passages = await found('refund');
    const scores = Array.isArray(passages) ? passages.map(({ score }) => score) : [];
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('uses the language of the settings', async () => {
    scope = await scene.aSource(await scene.aBase({ language: 'simple' }));
    await put({ a: 'running' });
    expect(await titles('run')).toEqual([]);
    expect(await titles('Running')).toEqual(['a']);
  });

  it.each([
    '',
    '   ',
    '""',
    '&|!<->:*',
    `'; drop table x; --`,
    'the of and',
    '\\',
    "o'",
    '😀',
    'a'.repeat(10_000),
    '\0',
  ])('answers any query: %j', async (query) => {
    await put({ a: 'text' });
    expect(await found(query)).toEqual([]);
  });

  it('finds nothing that is deleted, from the commit on', async () => {
    await put({ a: 'refunds', b: 'refunds too' });
    await scene.index.removeUnseen({ ...scope, syncId: newId('sync') });
    expect(await found('refunds')).toEqual([]);

    await put({ a: 'refunds' });
    expect(await found('refunds')).toHaveLength(1);
    await scene.query(`update knowledge_sources set deleted_at = now(), status = 'deleting' where id = $1`, [
      scope.sourceId,
    ]);
    expect(await found('refunds')).toEqual([]);
    await scene.query(`update knowledge_bases set deleted_at = now() where id = $1`, [scope.knowledgeBaseId]);
    expect(await found('refunds')).toBe('unknown');
  });

  it('finds the new text of a document and not the old one', async () => {
    await put({ a: 'refunds' });
    await put({ a: 'vouchers' });
    expect([await titles('refund'), await titles('voucher')]).toEqual([[], ['a']]);
  });

  it('stays within its base and workspace', async () => {
    await put({ a: 'refunds' });
    const other = await scene.aSource(await scene.aBase());
    await scene.index.putMany(other, [aDocument('theirs', 'refunds')]);
    expect(await titles('refunds')).toEqual(['a']);
    const elsewhere = { base: scope.knowledgeBaseId, query: 'refunds', reader: null };
    expect(await scene.search.search(newId('workspace'), elsewhere)).toEqual({ status: 'unknown' });
  });

  it('leaves out passages below min_score', async () => {
    scope = await scene.aSource(await scene.aBase({ retrieval: { min_score: 0.99 } }));
    await put({ a: 'refunds and many other things' });
    expect(await found('refunds')).toEqual([]);
  });

  describe('for a run', () => {
    const agentId = newId('agent');
    const nobody: RunReader = { agentId, email: null, channel: null };
    const ann: RunReader = { ...nobody, email: 'ann@example.com' };
    const mailbox: RunReader = { ...nobody, channel: 'email:desk@example.com' };

    beforeAll(async () => {
      const id = newId('member');
      await scene.query(
        `insert into members (id, workspace_id, email, role) values ($1, $2, 'ann@example.com', 'operator')`,
        [id, scene.workspaceId],
      );
      await scene.query(`insert into groups (workspace_id, name) values ($1, 'support')`, [scene.workspaceId]);
      await scene.query(`insert into group_members (workspace_id, group_name, member_id) values ($1, 'support', $2)`, [
        scene.workspaceId,
        id,
      ]);
    });

    beforeEach(() => put({ a: 'refunds' }));

    const may = async (reader: RunReader) => (await found('refunds', reader)) !== 'denied';
    const grant = (type: string, principal: string) => scene.grant(scope.knowledgeBaseId, type, principal);

    it('needs a grant for its agent', async () => {
      await grant('user', 'ann@example.com');
      await grant('channel', 'email:desk@example.com');
      expect([await may(nobody), await may(ann), await may(mailbox)]).toEqual([false, false, false]);
      await grant('agent', agentId);
      expect([await may(nobody), await may(ann), await may(mailbox)]).toEqual([true, true, true]);
      expect(await may({ ...nobody, agentId: newId('agent') })).toBe(false);
    });

    it('also needs a grant for the person or one of their groups', async () => {
      await grant('agent', agentId);
      expect(await may(ann)).toBe(false);
      await grant('group', 'support');
      expect(await may(ann)).toBe(true);
      expect(await may({ ...nobody, email: 'bob@example.com' })).toBe(false);
    });

    it('also needs a grant for the channel', async () => {
      await grant('agent', agentId);
      await grant('channel', 'email:other@example.com');
      expect(await may(mailbox)).toBe(false);
    });

    it('finds nothing after the grant is removed', async () => {
      await grant('agent', agentId);
      expect(await found('refunds', nobody)).toHaveLength(1);
      await scene.query('delete from knowledge_grants where knowledge_base_id = $1', [scope.knowledgeBaseId]);
      expect(await found('refunds', nobody)).toBe('denied');
    });

    it('accepts the name of the base', async () => {
      await scene.query(`update knowledge_bases set name = 'policies' where id = $1`, [scope.knowledgeBaseId]);
      await grant('agent', agentId);
      expect(await found('refunds', nobody, 'policies')).toHaveLength(1);
    });
  });
});
