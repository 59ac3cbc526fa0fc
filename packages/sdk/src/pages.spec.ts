import { List, type Page } from './pages.js';

/** A list of `count` pages with two numbers each, and the cursors that were requested. */
function listOf(count: number): { list: List<number>; requested: (string | undefined)[]; aborted: () => boolean } {
  const requested: (string | undefined)[] = [];
  let signals: AbortSignal[] = [];
  const read = (cursor: string | undefined, signal?: AbortSignal): Promise<Page<number>> => {
    requested.push(cursor);
    if (signal) signals = [...signals, signal];
    const page = Number(cursor ?? 0);
    const data = [2 * page, 2 * page + 1];
    return Promise.resolve(page + 1 < count ? { data, next_cursor: String(page + 1) } : { data });
  };
  return { list: new List(read), requested, aborted: () => signals.every(({ aborted }) => aborted) };
}

describe('a list', () => {
  it('requests nothing before it is used', () => {
    const { list, requested } = listOf(2);
    expect(list[Symbol.toStringTag]).toBe('List');
    expect(requested).toEqual([]);
  });

  it('is a promise of its first page', async () => {
    const { list, requested } = listOf(3);
    expect(await list).toEqual({ data: [0, 1], next_cursor: '1' });
    expect(await list.finally(() => undefined)).toEqual({ data: [0, 1], next_cursor: '1' });
    expect(requested).toEqual([undefined, undefined]);
  });

  it('is all its items', async () => {
    const { list, requested } = listOf(3);
    const items: number[] = [];
    for await (const item of list) items.push(item);
    expect(items).toEqual([0, 1, 2, 3, 4, 5]);
    expect(requested).toEqual([undefined, '1', '2']);
  });

  it('reads one page ahead and no further, and cancels it when the reader stops', async () => {
    const { list, requested, aborted } = listOf(9);
    for await (const item of list) if (item === 2) break;
    expect(requested).toEqual([undefined, '1', '2']);
    expect(aborted()).toBe(true);
  });

  it('gives whole pages', async () => {
    const pages: Page<number>[] = [];
    for await (const page of listOf(2).list.pages()) pages.push(page);
    expect(pages).toEqual([{ data: [0, 1], next_cursor: '1' }, { data: [2, 3] }]);
  });

  it('reports a failure of a later page after the items before it', async () => {
    const items: number[] = [];
    const list = new List<number>((cursor) =>
      cursor === undefined ? Promise.resolve({ data: [1, 2], next_cursor: 'x' }) : Promise.reject(new Error('expired')),
    );
    await expect(
      (async () => {
        for await (const item of list) items.push(item);
      })(),
    ).rejects.toThrow('expired');
    expect(items).toEqual([1, 2]);
  });

  it('is a promise that can be caught', async () => {
    expect(await new List(() => Promise.reject(new Error('no'))).catch(() => 'caught')).toBe('caught');
  });
});
