import type { TextLanguage } from '../bases/text-languages.js';

type Stemmed = Exclude<TextLanguage, 'auto'>;

/** The commonest short words of the languages in Latin letters. */
const COMMON_WORDS: readonly (readonly [Stemmed, string])[] = [
  ['english', 'the of and to in is that for it with as was are be this you on not by have from or at we can will'],
  [
    'german',
    'der die das und ist nicht ein eine zu den mit von für auf dem des sich auch im wird werden sie wir bei oder',
  ],
  ['french', 'le la les des et est une dans que qui pour pas sur au par plus avec ce sont vous nous du ou être cette'],
  ['spanish', 'el la los las de y que en un una por con para es se del al no su lo como más pero sus puede está'],
  ['italian', 'il lo la gli le di che e è un una per con non del della nel sono si al dei delle come anche questo può'],
  ['portuguese', 'o a os as de que e do da em um uma para com não por mais dos das no na se ao pelo são você'],
  ['dutch', 'de het een en van is dat niet op te zijn voor met die aan er om ook als bij worden u wij naar deze'],
  ['swedish', 'och att det som en på är av för med den till inte har de ett om vi kan från eller du så'],
  ['danish', 'og at det som en på er af for med den til ikke har de et om vi kan fra eller du hvis skal også'],
  ['norwegian', 'og å det som en på er av for med den til ikke har de et om vi kan fra eller du hvis skal også'],
  ['finnish', 'ja on ei että se oli joka tai ovat mutta kun voi niin myös kuin hän sen jos ole vain tämä'],
  ['hungarian', 'a az és hogy nem is egy van ez meg de csak el ha vagy már azt mint még lehet kell'],
  ['romanian', 'și de în la cu nu pe un o este să din care se pentru mai sunt că sau ce prin'],
  ['turkish', 've bir bu da de için ile olarak çok daha olan gibi ne kadar var sonra veya değil ama'],
  ['indonesian', 'yang dan di ini itu dengan untuk dari pada adalah tidak dalam akan ke oleh atau bisa anda'],
  ['catalan', 'el la els les de i que en un una per amb és no del al més són com seva aquest'],
  ['lithuanian', 'ir yra kad su į iš ar bet tai kaip per nuo už tik jau jei gali buvo apie'],
  ['irish', 'an na agus ar is ag le go do sé sí tá ní bhí leis don sa ach mar'],
  ['basque', 'eta da ez bat du dira izan ere edo baina egin dute hori zen bere duen'],
];

const WORDS: ReadonlyMap<string, readonly Stemmed[]> = byWord();

/** Languages told from their letters. Where two share them, one letter or word of the second decides. */
const SCRIPTS: readonly (readonly [RegExp, (text: string) => Stemmed])[] = [
  [/\p{Script=Cyrillic}/gu, (text) => (/[ђјљњћџ]/i.test(text) ? 'serbian' : 'russian')],
  [/\p{Script=Greek}/gu, () => 'greek'],
  [/\p{Script=Arabic}/gu, () => 'arabic'],
  [/\p{Script=Armenian}/gu, () => 'armenian'],
  [/\p{Script=Devanagari}/gu, (text) => (/(छ|गर्न|हुन्छ|लाई)(\s|।|$)/u.test(text) ? 'nepali' : 'hindi')],
  [/\p{Script=Tamil}/gu, () => 'tamil'],
  [/\p{Script=Hebrew}/gu, () => 'yiddish'],
];

/** Most texts have none of those, and are not counted letter by letter. */
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Devanagari}\p{Script=Tamil}\p{Script=Hebrew}]/u;

/** Characters that are looked at. */
const SAMPLE = 4_000;
const ENOUGH_WORDS = 2;

/**
 * What a text is written in, as the name of a text search configuration: by its script, else by its commonest words. Where those
 * say nothing, plain ASCII is taken for English and anything else read without stems (`simple`).
 */
export function languageOf(text: string): Stemmed {
  const sample = text.slice(0, SAMPLE);
  if (OTHER_SCRIPT.test(sample)) {
    const letters = sample.match(/\p{L}/gu)?.length ?? 0;
    for (const [script, tell] of SCRIPTS) {
      if ((sample.match(script)?.length ?? 0) * 2 > letters && letters > 0) return tell(sample);
    }
  }
  return byCommonWords(sample) ?? (/(?![A-Za-z])\p{L}/u.test(sample) ? 'simple' : 'english');
}

function byCommonWords(sample: string): Stemmed | undefined {
  const seen = new Map<Stemmed, number>();
  for (const word of sample.toLowerCase().match(/\p{L}+/gu) ?? []) {
    for (const language of WORDS.get(word) ?? []) seen.set(language, (seen.get(language) ?? 0) + 1);
  }
  const [best] = [...seen].sort(([, one], [, other]) => other - one);
  return best && best[1] >= ENOUGH_WORDS ? best[0] : undefined;
}

function byWord(): Map<string, Stemmed[]> {
  const result = new Map<string, Stemmed[]>();
  for (const [language, words] of COMMON_WORDS) {
    for (const word of words.split(' ')) result.set(word, [...(result.get(word) ?? []), language]);
  }
  return result;
}
