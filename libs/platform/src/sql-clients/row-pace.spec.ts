import { RowPace } from './row-pace.js';

const rows = (count: number, characters: number) =>
  Array.from({ length: count }, (_, id) => ({ id, body: 'x'.repeat(characters) }));

describe('the pace at which rows are read', () => {
  it('starts small and doubles while rows are narrow, up to the limit', () => {
    const pace = new RowPace(200);
    const asked = Array.from({ length: 5 }, () => {
      pace.observeRows(rows(pace.rows, 10));
      return pace.rows;
    });
    expect(asked).toEqual([50, 100, 200, 200, 200]);
    expect(new RowPace(10).rows).toBe(10);
  });

  it('reads as many wide rows as fit into the memory limit, and at least one', () => {
    const pace = new RowPace(200);
    pace.observeRows(rows(2, 4_000_000));
    expect(pace.rows).toBe(4);
    pace.observeRows([{ id: 1, body: 'x'.repeat(20_000_000), picture: Buffer.alloc(10) }]);
    expect(pace.rows).toBe(1);
    pace.observeRows([]);
    expect(pace.rows).toBe(1);
  });
});
