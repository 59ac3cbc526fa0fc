import { createHash } from 'node:crypto';
import type { IncomingDocument } from '@app/connectors';
import { randomNumbers } from '../random-numbers.js';

/**
 * A query with the grades of its relevant documents, by document key. Grade 3: the document is about the aspect in the
 * query. Grade 2: the document mentions the aspect. Grade 1: the document is about the same topic.
 */
export interface JudgedQuery {
  text: string;
  grades: ReadonlyMap<string, number>;
}

export interface Corpus {
  documents: IncomingDocument[];
  queries: JudgedQuery[];
}

const TOPICS = 80;
const ASPECTS = 6;
const WORDS_OF_ASPECT = 6;
const WORDS_OF_TOPIC = 8;
const COMMON_WORDS = 2_500;
const FORMS = ['', 's', 'ed', 'ing'] as const;
const ONSETS = [
  'b',
  'br',
  'c',
  'cl',
  'd',
  'dr',
  'f',
  'g',
  'gr',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  't',
  'tr',
  'v',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'oa'];
const CODAS = ['ck', 'ft', 'lk', 'm', 'mp', 'n', 'nt', 'p', 'rk', 'rt', 'sk', 'st'];

interface Subject {
  topic: number;
  /**
   * Index of the aspect that the document is about. `side` is the index of an aspect that the document only mentions.
   */
  main: number;
  side: number;
}

/**
 * Generates a corpus of documents and queries. It is the same on every machine. A document is Markdown of about 2 KB,
 * and is about one aspect of one topic. The words of the invented language are inflected, so that stemming matters. The
 * frequencies of words follow Zipf's law. A query contains the words of an aspect in other forms. The relevance of a
 * document is known from how its text was generated, not from a ranking.
 */
export function makeCorpus(documents: number, queries: number, seed = 7): Corpus {
  return new Author(seed).write(documents, queries);
}

class Author {
  private readonly random: () => number;
  private readonly used = new Set<string>();
  private readonly common: string[];
  private readonly topics: { words: string[]; aspects: string[][] }[];

  constructor(seed: number) {
    this.random = randomNumbers(seed);
    this.common = this.words(COMMON_WORDS);
    this.topics = Array.from({ length: TOPICS }, () => ({
      words: this.words(WORDS_OF_TOPIC),
      aspects: Array.from({ length: ASPECTS }, () => this.words(WORDS_OF_ASPECT)),
    }));
  }

  write(documents: number, queries: number): Corpus {
    const subjects = Array.from({ length: documents }, (_, n): Subject => {
      const [topic, main] = [n % TOPICS, Math.floor(n / TOPICS) % ASPECTS];
      return { topic, main, side: (main + 1 + this.below(ASPECTS - 1)) % ASPECTS };
    });
    return {
      documents: subjects.map((subject, n) => this.document(`doc-${n}`, subject)),
      queries: Array.from({ length: queries }, () => this.query(subjects)),
    };
  }

  private document(key: string, { topic, main, side }: Subject): IncomingDocument {
    const { words, aspects } = this.topics[topic] ?? { words: [], aspects: [] };
    const aspectsOf = [main, main, side].map((aspect) => aspects[aspect] ?? []);
    const title = `${this.pick(words)} ${this.form(this.pick(aspects[main] ?? []))}`;
    const sections = aspectsOf.map((aspect) => {
      const heading = `## ${this.form(this.pick(words))} ${this.commonWord()}`;
      const sentences = Array.from({ length: 9 }, () => this.sentence(words, aspect));
      return `${heading}\n\n${sentences.join(' ')}`;
    });
    const text = `# ${title}\n\n${sections.join('\n\n')}\n`;
    const hash = createHash('sha256').update(text).digest('hex');
    return { key, title, url: `https://example.com/${key}`, contentType: 'text/markdown', text, hash, validator: null };
  }

  private sentence(topic: readonly string[], aspect: readonly string[]): string {
    const words = Array.from({ length: 8 + this.below(6) }, () => {
      const chance = this.random();
      if (chance < 0.1) return this.form(this.pick(aspect));
      if (chance < 0.16) return this.form(this.pick(topic));
      // Adds a misleading word from an aspect of a random topic.
      if (chance < 0.2) return this.form(this.pick(this.pick(this.pick(this.topics).aspects)));
      return this.commonWord();
    });
    const [first = '', ...rest] = words;
    return `${first.charAt(0).toUpperCase()}${first.slice(1)} ${rest.join(' ')}.`;
  }

  private query(subjects: readonly Subject[]): JudgedQuery {
    const { topic, main } = this.pick(subjects);
    const { words, aspects } = this.topics[topic] ?? { words: [], aspects: [] };
    const aspect = aspects[main] ?? [];
    const asked = [this.pick(aspect), this.pick(aspect), this.pick(words)].map((word) => this.form(word));
    const grades = new Map<string, number>();
    for (const [n, subject] of subjects.entries()) {
      if (subject.topic !== topic) continue;
      grades.set(`doc-${n}`, subject.main === main ? 3 : subject.side === main ? 2 : 1);
    }
    return { text: [...asked, this.commonWord()].join(' '), grades };
  }

  private words(count: number): string[] {
    const made: string[] = [];
    while (made.length < count) {
      const word = Array.from({ length: 2 }, () => this.pick(ONSETS) + this.pick(VOWELS)).join('') + this.pick(CODAS);
      if (!this.used.has(word)) made.push(word);
      this.used.add(word);
    }
    return made;
  }

  /** Returns a random common word. The n-th most frequent word is n times rarer than the most frequent one. */
  private commonWord(): string {
    const rank = Math.floor(COMMON_WORDS ** this.random()) - 1;
    return this.common[rank] ?? '';
  }

  private form(word: string): string {
    return word + this.pick(FORMS);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
