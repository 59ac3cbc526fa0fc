import type { TextLanguage } from '../bases/text-languages.js';
import { detectLanguage, assignLanguages } from './document-language.js';

const ENGLISH = 'Goods may be returned within 30 days of the purchase, and the refund is paid to the card.';
const GERMAN = 'Die Ware kann innerhalb von 30 Tagen zurückgegeben werden, und der Betrag wird erstattet.';
const PORTUGUESE = 'Os produtos não são devolvidos em mais de 30 dias, e o reembolso do valor é para uma conta.';
const RUSSIAN = 'Товар можно вернуть в течение тридцати дней.';

describe('detectLanguage', () => {
  it.each([
    ['english', ENGLISH],
    ['german', GERMAN],
    ['french', 'Les produits sont remboursés dans les trente jours, et la livraison est offerte par le vendeur.'],
    ['spanish', 'Los productos se pueden devolver en un plazo de 30 días y el reembolso es para la tarjeta.'],
    ['italian', 'Il prodotto può essere restituito entro 30 giorni e il rimborso non è previsto per gli alimenti.'],
    ['portuguese', PORTUGUESE],
    ['dutch', 'Het product kan binnen 30 dagen worden teruggestuurd, en de kosten zijn niet voor de klant.'],
    ['swedish', 'Varan kan skickas tillbaka och det är inte möjligt att byta den till ett annat kort.'],
    ['finnish', 'Tuote voi olla viallinen, mutta se ei ole syy, ja palautus on mahdollinen kun kuitti on tallella.'],
    ['indonesian', 'Barang dapat dikembalikan dalam waktu tiga puluh hari dan uangnya akan dikembalikan.'],
    ['russian', RUSSIAN],
    ['serbian', 'Робу можете вратити у року од тридесет дана, љубазно молимо.'],
    ['greek', 'Το προϊόν επιστρέφεται εντός τριάντα ημερών.'],
    ['arabic', 'يمكن إرجاع المنتج خلال ثلاثين يوما.'],
    ['hindi', 'उत्पाद तीस दिनों के भीतर वापस किया जा सकता है।'],
    ['simple', 'Towar można zwrócić w ciągu trzydziestu dni, a kwota zostanie zwrócona na kartę.'],
    ['simple', '退款政策适用于所有订单，客户可以在三十天内申请退款。'],
  ])('%s', async (language, text) => {
    expect(await detectLanguage(text)).toBe(language);
  });

  it.each([
    ['too few words', 'Refund policy'],
    ['nothing', ''],
    ['names alone', 'pg_stat_activity max_connections os.path.join https://example.com/de/o/que 0x7f'],
    ['code alone', '```\nder = die + das\nund(nicht, ein, eine)\nfor der in das: print(und)\n```'],
  ])('returns null for %s', async (_, text) => {
    expect(await detectLanguage(text)).toBeNull();
  });

  it('ignores code', async () => {
    expect(await detectLanguage(`\`\`\`\n${'o que não é para uma\n'.repeat(50)}\`\`\`\n\n${ENGLISH}`)).toBe('english');
  });
});

describe('assignLanguages', () => {
  const read = async (texts: string[], known: Record<string, number> = {}, setting: TextLanguage = 'auto') => {
    const documents = texts.map((text) => ({ text }));
    const languages = await assignLanguages(documents, setting, new Map(Object.entries(known)));
    return languages.map(({ language }) => language);
  };

  it('keeps the detected language if enough documents of the base have it', async () => {
    expect(await read([ENGLISH, GERMAN])).toEqual(['english', 'german']);
    expect(await read([GERMAN], { english: 19 })).toEqual(['german']);
  });

  it('assigns the most frequent language to rare and undetected languages', async () => {
    expect(await read([PORTUGUESE, 'Refund policy'], { english: 100 })).toEqual(['english', 'english']);
    expect(await read([ENGLISH, 'Größentabelle'], { german: 100 })).toEqual(['german', 'german']);
    expect(await read([...Array<string>(30).fill(ENGLISH), PORTUGUESE])).toEqual(Array(31).fill('english'));
  });

  it('keeps a rare language that its script identifies', async () => {
    expect(await read([RUSSIAN], { english: 1_000 })).toEqual(['russian']);
  });

  it('defaults to English for ASCII letters and to no language for others', async () => {
    expect(await read(['Refund policy', '', 'Größentabelle'])).toEqual(['english', 'english', 'simple']);
  });

  it('uses the language of the settings', async () => {
    expect(await read([GERMAN], { german: 9 }, 'french')).toEqual(['french']);
  });
});
