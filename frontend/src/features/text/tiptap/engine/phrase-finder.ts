/**
 * Many phrases looked for at once, in one pass over the text (Aho and Corasick). Memory grows with the phrases' length,
 * time with the text's.
 */

export interface Phrases {
  /** Reads `text`; `found` hears of the longest phrase that ends before `to`, and is asked for a shorter if it says no. */
  find(text: string, found: (phrase: number, from: number, to: number) => boolean): void;
}

/** No phrase is empty, and none comes twice. */
export function phraseFinder(phrases: readonly string[]): Phrases {
  return new Trie(phrases);
}

const ROOT = 0;

class Trie implements Phrases {
  /** The phrases' characters by number, from 1; 0 is every other. */
  readonly #classes = new Uint16Array(0x10000);
  #classCount = 1;
  /** A hash table from a state and a character to the state that is one character further; 0 is an empty place. */
  readonly #mask: number;
  readonly #keyStates: Int32Array;
  readonly #keyClasses: Uint16Array;
  readonly #nexts: Int32Array;
  readonly #fromRoot: Int32Array;
  /** Of each state: the phrase that ends there + 1, or 0; the state of the longest end of it that also begins one. */
  readonly #phrases: Int32Array;
  readonly #fails: Int32Array;
  /** The nearest state on the way of fails, itself included, at which a phrase ends. */
  readonly #ends: Int32Array;
  readonly #lengths: Int32Array;

  constructor(phrases: readonly string[]) {
    let most = 1;
    for (const phrase of phrases) {
      most += phrase.length;
      for (let at = 0; at < phrase.length; at++) {
        const unit = phrase.charCodeAt(at);
        if (this.#classes[unit] === 0) this.#classes[unit] = this.#classCount++;
      }
    }
    let size = 16;
    while (size < 2 * most) size *= 2;
    this.#mask = size - 1;
    this.#keyStates = new Int32Array(size);
    this.#keyClasses = new Uint16Array(size);
    this.#nexts = new Int32Array(size);
    this.#fromRoot = new Int32Array(this.#classCount);
    this.#phrases = new Int32Array(most);
    this.#fails = new Int32Array(most);
    this.#ends = new Int32Array(most);
    this.#lengths = new Int32Array(most);
    this.#build(phrases, most);
  }

  #build(phrases: readonly string[], most: number): void {
    const parents = new Int32Array(most);
    const letters = new Uint16Array(most);
    const byLength: number[][] = [];
    let states = 1;
    phrases.forEach((phrase, index) => {
      let state = ROOT;
      for (let at = 0; at < phrase.length; at++) {
        const letter = this.#classes[phrase.charCodeAt(at)] ?? 0;
        let next = this.#step(state, letter);
        if (next === ROOT) {
          next = states++;
          parents[next] = state;
          letters[next] = letter;
          this.#lengths[next] = at + 1;
          this.#add(state, letter, next);
          const same = byLength[at];
          if (same) same.push(next);
          else byLength[at] = [next];
        }
        state = next;
      }
      this.#phrases[state] = index + 1;
    });
    for (const same of byLength) {
      for (const state of same) {
        const parent = parents[state] ?? ROOT;
        const fail = parent === ROOT ? ROOT : this.#advance(this.#fails[parent] ?? ROOT, letters[state] ?? 0);
        this.#fails[state] = fail;
        this.#ends[state] = this.#phrases[state] ? state : (this.#ends[fail] ?? ROOT);
      }
    }
  }

  find(text: string, found: (phrase: number, from: number, to: number) => boolean): void {
    const classes = this.#classes;
    const ends = this.#ends;
    let state = ROOT;
    for (let at = 0; at < text.length; at++) {
      const letter = classes[text.charCodeAt(at)] as number;
      if (letter === 0) {
        state = ROOT;
        continue;
      }
      state = this.#advance(state, letter);
      let end = ends[state] as number;
      while (end !== ROOT) {
        const length = this.#lengths[end] as number;
        if (found((this.#phrases[end] as number) - 1, at + 1 - length, at + 1)) break;
        end = ends[this.#fails[end] as number] as number;
      }
    }
  }

  #advance(from: number, letter: number): number {
    let state = from;
    while (state !== ROOT) {
      const next = this.#step(state, letter);
      if (next !== ROOT) return next;
      state = this.#fails[state] as number;
    }
    return this.#fromRoot[letter] as number;
  }

  #step(state: number, letter: number): number {
    if (state === ROOT) return this.#fromRoot[letter] as number;
    for (let place = this.#place(state, letter); ; place = (place + 1) & this.#mask) {
      const next = this.#nexts[place] as number;
      if (next === ROOT || (this.#keyStates[place] === state && this.#keyClasses[place] === letter)) return next;
    }
  }

  #add(state: number, letter: number, next: number): void {
    if (state === ROOT) {
      this.#fromRoot[letter] = next;
      return;
    }
    let place = this.#place(state, letter);
    while (this.#nexts[place] !== ROOT) place = (place + 1) & this.#mask;
    this.#keyStates[place] = state;
    this.#keyClasses[place] = letter;
    this.#nexts[place] = next;
  }

  #place(state: number, letter: number): number {
    const hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b);
    return ((hash ^ (hash >>> 15)) & this.#mask) >>> 0;
  }
}
