import { searchWords } from './search-words.js';

describe('the words of a text', () => {
  it.each([
    ['Refund/return of order-id #12: see policy_v2.', 'Refund return of order id 12 see policy v2'],
    ['Pay 1,299.50 EUR, don’t wait. v1.2.3', "Pay 1,299.50 EUR don't wait v1.2.3"],
    ["It's O'Brien's", "It's O'Brien's"],
    ['Ende.Anfang e.g. mail@example.com', 'Ende Anfang e g mail example com'],
    ['Straße — Übergröße', 'Straße Übergröße'],
    ['ﬁle ① Ｆｕｌｌ', 'file 1 Full'],
    ['', ''],
    ['… --- !!', ''],
  ])('%s', (text, words) => {
    expect(searchWords(text)).toEqual({ text: words, count: words === '' ? 0 : words.split(' ').length });
  });

  it('are found also where no space is between them', () => {
    expect(searchWords('退款政策适用于所有订单。').text.split(' ')).toEqual(
      expect.arrayContaining(['退款', '政策', '订单']),
    );
  });

  it('are no encoded data', () => {
    expect(searchWords(`key ${'A'.repeat(101)} end`)).toEqual({ text: 'key end', count: 2 });
  });

  it.each([['a'.repeat(1_000_000)], ['1.'.repeat(500_000)], ["a'".repeat(500_000)], ['é'.repeat(500_000)]])(
    'are found in time in proportion to the text',
    (text) => {
      expect(searchWords(text).count).toBeLessThan(2);
    },
  );
});
