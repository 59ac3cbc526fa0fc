import { createHash } from 'node:crypto';
import type { Library } from './library.js';

/**
 * Pairs of a query and the sentence that it must find first among the sentences of all pairs. The query writes a word, a
 * name or a number in another form than the sentence. The pairs were chosen before any of them was measured.
 */
const PAIRS: readonly (readonly [query: string, sentence: string])[] = [
  ['policies', 'Each policy covers theft.'],
  ['analysis', 'Two analyses were published in spring.'],
  ['Verträge', 'Der Vertrag läuft im Juni aus.'],
  ['Haus', 'Die Häuser am Markt sind alt.'],
  ['contratos', 'El contrato vence en mayo.'],
  ['fatture', 'La fattura arriva domani.'],
  ['договоры', 'Договор подписан вчера.'],
  ['huizen', 'Het huis staat leeg.'],
  ['laskut', 'Lasku maksetaan perjantaina.'],
  ['Dvorak', 'Antonín Dvořák wrote nine symphonies.'],
  ['Nguyen', 'Nguyễn Văn An grows tea.'],
  ['Björk', 'Bjork sings in the north.'],
  ['Wałęsa', 'Walesa visited the shipyard.'],
  ['Groesse', 'Die Größe des Paketes ist begrenzt.'],
  ['creme brulee', 'Crème brûlée costs six euros.'],
  ['Curacao', 'Ferries sail to Curaçao.'],
  ['Ελλαδα', 'Η Ελλάδα έχει πολλά νησιά.'],
  ['email address', 'Write your e-mail address here.'],
  ['cooperation', 'The co-operation ends in autumn.'],
  ['data base', 'The database is locked.'],
  ['Wi-Fi', 'The wifi password hangs in the hall.'],
  ['online banking', 'Online-Banking ist ab sechs Uhr möglich.'],
  ['Haftpflichtversicherung', 'Die Haftpflicht-Versicherung zahlt.'],
  ['Arbeitszeit', 'Die Arbeits\u00adzeit beginnt um acht.'],
  ['user_id', 'The field userId is required.'],
  ['order status', 'OrderStatus has four values.'],
  ['getURL', 'Call get_url first.'],
  ['1.250.000', 'The grant is 1,250,000 crowns.'],
  ['2500', 'Fees above 2.500 need a signature.'],
  ['12,5', 'The rate rose to 12.5 percent.'],
  ["1'000'000", 'About 1000000 bees live here.'],
  ['0.75', 'Add 0,75 litres of water.'],
  ['2nd edition', 'The second edition sold out.'],
  ['1 Feb 2025', 'Payment was due on 2025-02-01.'],
  ['2.12.2022', 'Le dépôt a été fait le 2 décembre 2022.'],
  ['May 3rd, 2021', 'The shop opened on 03/05/2021.'],
  ['12 de agosto de 2020', 'The lease began on 2020-08-12.'],
  ['2023/09/30', 'Stichtag ist der 30. September 2023.'],
  ['15.1.24', 'The visit is on 15 January 2024.'],
  ['14:30', 'The train leaves at 2:30 pm.'],
  ['0049 40 5551234', 'Ring the doctor: +49 40 555-12-34.'],
  ['(0)171 2345678', 'Text the plumber: +49 171 2345678.'],
  ['+44 20 7946 0958', 'Ring the office: 020 7946 0958.'],
  ['rt-450', 'The pump RT450 leaks.'],
  ['HX99-B', 'Spare filter HX-99B fits.'],
  ['GB29 NWBK 6016 1331 9268 19', 'Transfer to GB29NWBK60161331926819.'],
  ['ISO 9001', 'We hold ISO9001 since spring.'],
  ['J. R. R. Tolkien', 'JRR Tolkien taught in Oxford.'],
  ['U.S.A.', 'Parcels to the USA take a week.'],
  ['D’Souza', 'Dsouza runs the bar.'],
];

export async function writtenFormLines(library: Library): Promise<string[]> {
  const base = await library.aBase();
  const documents = PAIRS.map(([, text]) => ({
    key: text, title: text, url: null, contentType: 'text/plain', text, hash: hashOf(text), validator: null,
  })); // prettier-ignore
  await library.put(base, documents);
  await library.tidy();
  const missed: string[] = [];
  for (const [query, sentence] of PAIRS) {
    const [first] = await library.find(base.knowledgeBaseId, query, 3);
    if (first?.text !== sentence) missed.push(`${query}: ${sentence}`);
  }
  return [
    `\nwords, names and numbers in another form: ${PAIRS.length - missed.length} of ${PAIRS.length} queries find their sentence first`,
    ...missed.map((pair) => `  not found first: ${pair}`),
  ];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
