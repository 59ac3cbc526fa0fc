import { languageOf } from './language.js';

describe('the language of a text', () => {
  it.each([
    ['english', 'Goods may be returned within 30 days of the purchase, and the refund is paid to the card.'],
    ['german', 'Die Ware kann innerhalb von 30 Tagen zurückgegeben werden, und der Betrag wird erstattet.'],
    ['french', 'Les produits sont remboursés dans les trente jours, et la livraison est offerte par le vendeur.'],
    ['spanish', 'Los productos se pueden devolver en un plazo de 30 días y el reembolso es para la tarjeta.'],
    ['italian', 'Il prodotto può essere restituito entro 30 giorni e il rimborso non è previsto per gli alimenti.'],
    ['portuguese', 'Os produtos não são devolvidos em mais de 30 dias, e o reembolso do valor é para uma conta.'],
    ['dutch', 'Het product kan binnen 30 dagen worden teruggestuurd, en de kosten zijn niet voor de klant.'],
    ['swedish', 'Varan kan skickas tillbaka och det är inte möjligt att byta den till ett annat kort.'],
    ['finnish', 'Tuote voi olla viallinen, mutta se ei ole syy, ja palautus on mahdollinen kun kuitti on tallella.'],
    ['russian', 'Товар можно вернуть в течение тридцати дней.'],
    ['serbian', 'Робу можете вратити у року од тридесет дана, љубазно молимо.'],
    ['greek', 'Το προϊόν επιστρέφεται εντός τριάντα ημερών.'],
    ['arabic', 'يمكن إرجاع المنتج خلال ثلاثين يوما.'],
    ['hindi', 'उत्पाद तीस दिनों के भीतर वापस किया जा सकता है।'],
    ['simple', '退款政策适用于所有订单'],
    ['english', 'Refund policy'],
    ['english', ''],
    ['simple', 'Größentabelle Übersicht'],
  ])('%s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});
