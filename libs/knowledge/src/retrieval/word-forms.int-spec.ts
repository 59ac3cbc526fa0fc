import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { aDocument, KnowledgeScene } from '../testing/knowledge-scene.js';

/** Pairs of a query and the sentence that it must find first among the sentences of all pairs. */
const PAIRS: Record<string, readonly (readonly [string, string])[]> = {
  'diacritics and transliterations': [
    ['Mueller', 'Anna Müller leads the team in Bremen.'],
    ['Schroder', 'Ask Paul Schröder for a key to the cellar.'],
    ['Königsberger', 'Koenigsberger Street has a bakery.'],
    ['Strassenbahn', 'Die Straßenbahn fährt alle zehn Minuten.'],
    ['Großmann', 'Mr Grossmann repairs bicycles.'],
    ['cafeteria Zoe', 'Zoë runs the cafeteria.'],
    ['resume template', 'Send us your résumé template.'],
    ['Soren', 'Søren calls the harbour office.'],
    ['Soerensen', 'Mr Sørensen inspects bridges.'],
    ['Malaga', 'Flights to Málaga leave at noon.'],
    ['Lodz', 'The warehouse in Łódź is closed.'],
    ['Istanbul', 'İstanbul ofisi pazartesi açıktır.'],
    ['São Paulo', 'The plant in Sao Paulo makes valves.'],
    ['Ålesund', 'Boats to Aalesund need a pilot.'],
    ['oeuvre', 'His œuvre fills two halls.'],
    ['самолет', 'Самолёт прибывает вечером.'],
    ['αθηνα', 'Η Αθήνα είναι η έδρα μας.'],
  ],
  'case, width and ligatures': [
    ['warranty', 'WARRANTY LASTS TWO WINTERS'],
    ['profit forecast', 'The proﬁt forecast is ready.'],
    ['ABCXYZ', 'Label ＡＢＣＸＹＺ marks samples.'],
    ['カタカナ', 'ｶﾀｶﾅ で書いてください。'],
    ['½ 4711', 'Order number ４７１１ was lost.'],
  ],
  apostrophes: [
    ['OBrien', "Call O'Brien about the roof."],
    ['O’Malley', "Mrs O'Malley paints doors."],
    ["O'Connell", 'The OConnell family owns a mill.'],
    ["D'Angelo", 'Phone D’Angelo for olives.'],
    ["L'Oreal", 'Samples of L’Oréal arrived.'],
  ],
  numbers: [
    ['7,654.32', 'The total is 7654.32 francs.'],
    ['8.123,45', 'The deposit is 8,123.45 crowns.'],
    ['9321', 'They counted 9,321 sheep.'],
    ['6 543', 'They counted 6543 cows.'],
    ['1234567', 'The city has 1 234 567 lamps.'],
    ['5,678', 'The village has 5.678 trees.'],
    ["3'456.70", 'The rent is 3456.7 pounds.'],
    ["2'300'000", 'The lake has 2300000 fish.'],
    ['19,95', 'A ticket costs 19.95 in summer.'],
  ],
  dates: [
    ['2024-03-05', 'The contract ended on 5 March 2024.'],
    ['07.11.2023', 'The fair began on 2023-11-07.'],
    ['April 9, 2022', 'The audit was on 09.04.2022.'],
    ['12/25/2021', 'They closed on 25 December 2021.'],
    ['3. Oktober 2020', 'The bridge opened on 2020-10-03.'],
    ['14 février 2019', 'The shop moved on 14/02/2019.'],
    ['2018-06-01', '公司成立于2018年6月1日。'],
    ['15.1.17', 'The visit was on 15 January 2017.'],
  ],
  times: [
    ['16:45', 'The ferry leaves at 4:45 pm.'],
    ['7 am', 'The bakery opens at 07:00.'],
  ],
  'telephone numbers': [
    ['030 1234567', 'Call the porter: 030/123 45 67.'],
    ['+49 89 7654321', 'Call the nurse: +49 (89) 765-4321.'],
    ['0221 9876543', 'Call the driver: +49 221 987 65 43.'],
    ['2125550142', 'Call the cook: (212) 555-0142.'],
  ],
  codes: [
    ['AB-123', 'Spare part AB123 is blue.'],
    ['CD456', 'Spare part CD 456 is green.'],
    ['EF 789', 'Spare part EF-789 is red.'],
    ['978-3-16-148410-0', 'The book has ISBN 9783161484100.'],
    ['DE89370400440532013000', 'Pay to DE89 3704 0044 0532 0130 00 by noon.'],
  ],
  identifiers: [
    ['get user profile', 'Use getUserProfile in the client.'],
    ['maxRetryDelay', 'Set max_retry_delay to thirty.'],
    ['parse http header', 'The class HTTPHeaderParser does it.'],
    ['email notice', 'The E-Mail notice is short.'],
  ],
  initials: [
    ['U.S.A.', 'Parcels to the USA take a week.'],
    ['J. R. R. Tolkien', 'JRR Tolkien taught in Oxford.'],
  ],
  inflections: [
    ['reimbursement', 'All travellers are reimbursed within a week.'],
    ['Kündigungsfristen', 'Die Kündigungsfrist beträgt drei Monate für alle Mitarbeiter.'],
  ],
};

describe('a keyword search', () => {
  let database: TestDatabase;
  let scene: KnowledgeScene;
  let base: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    scene = await KnowledgeScene.open(database.url);
    base = await scene.aBase();
    const pairs = Object.values(PAIRS).flat();
    const sentences = pairs.map(([, sentence]) => aDocument(sentence, sentence));
    await scene.index.putMany(await scene.aSource(base), sentences);
  });

  afterAll(async () => {
    await scene.close();
    await database.drop();
  });

  describe.each(Object.entries(PAIRS))('finds %s', (_, pairs) => {
    it.each(pairs)('%s: %s', async (query, sentence) => {
      const [first] = await scene.search.findPassages(scene.workspaceId, base, query, 3);
      expect(first?.text).toBe(sentence);
    });
  });
});
