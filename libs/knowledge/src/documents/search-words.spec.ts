import { indexedWords, searchWords } from './search-words.js';

describe('searchWords', () => {
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
    expect(searchWords(text)).toMatchObject({ text: words, count: words === '' ? 0 : words.split(' ').length });
  });

  it('does not divide words at invisible characters', () => {
    for (const invisible of ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'])
      expect(searchWords(`Donau${invisible}dampf${invisible}schiff`)).toMatchObject({
        text: 'Donaudampfschiff',
        count: 1,
      });
  });

  it.each([
    ['docu-\nment', ['document']],
    ['docu-  \r\n  mentation', ['documentation']],
    ['docu\u00ad\nment', ['document']],
    ['Über-\n\ngröße', ['Übergröße', 'uber', 'ueber', 'grosse', 'groesse']],
    ['well-\nknown, well\u2011known', ['wellknown', 'wellknown']],
    ['- one\n- two', []],
  ])('joins words that are divided at the end of a line: %j', (text, names) => {
    expect(searchWords(text).names).toEqual(names);
  });

  it("reads 1'000'000 as one number", () => {
    expect(searchWords("1'000'000 '000' 5'6").text).toBe('1000000 000 5 6');
  });

  it('segments scripts without spaces', () => {
    expect(searchWords('退款政策适用于所有订单。').text.split(' ')).toEqual(
      expect.arrayContaining(['退款', '政策', '订单']),
    );
  });

  it.each([
    ['pg_stat_activity', ['pgstatactivity']],
    ['os.path.join(a)', ['ospathjoin']],
    ['asyncio.wait_for', ['asynciowaitfor', 'waitfor']],
    ['std::vector, obj->next', ['stdvector', 'objnext']],
    ['pg_hba.conf', ['pghbaconf', 'pghba']],
    ['E-Mail-Adresse, Straßen-Bahn', ['EMailAdresse', 'StraßenBahn', 'strassen']],
    ['max__connections', ['maxconnections']],
    ['e.g. 1.2.3 a/b (x)', []],
    [`${'a_'.repeat(40)}b`, []],
  ])('returns compound names as one word too: %s', (text, names) => {
    expect(searchWords(text).names).toEqual(names);
  });

  it.each([
    ['Müller, Søren', ['muller', 'mueller', 'soren', 'soeren']],
    ["O'Brien don't für", ['obrien']],
    ['getUserID parseHTTPHeader', ['get', 'User', 'ID', 'parse', 'HTTP', 'Header']],
    ['1,234.50 or 1.234,5 or 1 234 or 99,90', ['1234', '1234.5', '99.9']],
    ['5 March 2024', ['20240305', '2024']],
    ['5. März 2024', ['marz', 'maerz', '20240305', '2024']],
    ['31/12/2024', ['20241231', '2024', '31122024']],
    ['15.1.24', ['20240115', '2024']],
    ['U.S.A. or J. R. R. Tolkien, A. B', ['USA', 'JRR', 'AB']],
    ['See A. Then e.g. x or Mr. B. Smith', []],
    ['tel. +49 (30) 123-4567', ['49301234567', '01234567']],
    ['AB 123', ['AB123']],
    ['14:30, 2:30 p.m., 9h05', ['05', '14h30', '9h05']],
    ['at 2 pm or 12 AM', ['14h00', '0h00']],
    ['ratio 3:1, 25:10, 10:20:30, 3 amps', []],
  ])('returns other forms: %s', (text, names) => {
    expect(searchWords(text).names).toEqual(names);
  });

  it('appends compound names to the indexed words', () => {
    expect(indexedWords(searchWords('SELECT pg_sleep now'))).toBe('SELECT pg sleep now pgsleep');
    expect(indexedWords(searchWords('plain words'))).toBe('plain words');
  });

  it('leaves out encoded data', () => {
    expect(searchWords(`key ${'A'.repeat(101)} end`)).toEqual({ text: 'key end', count: 2, names: [] });
  });

  it.each([
    ['A. '.repeat(300_000)],
    ['A.'.repeat(500_000)],
    ['1 '.repeat(500_000)],
    [`${'111 '.repeat(250_000)}.1`],
    ['1-'.repeat(500_000)],
    ['aB '.repeat(300_000)],
  ])('takes linear time for very long texts', (text) => {
    expect(searchWords(text).names.length).toBeLessThan(text.length);
  });

  it.each([
    ['a'.repeat(1_000_000)],
    ['1.'.repeat(500_000)],
    ["a'".repeat(500_000)],
    ['é'.repeat(500_000)],
    ['a-'.repeat(500_000)],
    ['_'.repeat(1_000_000)],
    ['-\n'.repeat(500_000)],
    [`a-${' '.repeat(1_000_000)}`],
  ])('handles very long texts', (text) => {
    expect(searchWords(text).names).toEqual([]);
  });
});
