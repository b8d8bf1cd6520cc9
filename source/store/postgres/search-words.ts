import {searchWords, excerptWords, hasSubstance, maxWordLength, wordPattern} from '../sessions.ts';

/** Maximum size of a message's indexed words, bytes; a `tsvector` may have a mebibyte. */
const maxIndexedBytes = 400_000;

/** Normalises a word for comparison: without case and diacritics, like SQLite's `unicode61 remove_diacritics 2`. */
const fold = (word: string): string =>
	word
		.toLowerCase()
		.normalize('NFD')
		.replaceAll(/[\u0300-\u036F]/g, '')
		.normalize('NFC');

/** The words of a text in the syntax of a `tsvector`. A word has only letters, digits and marks, so no quote. */
export function indexedWords(text: string): string {
	const words = new Set<string>();
	let bytes = 0;
	for (const [word] of text.normalize('NFC').matchAll(wordPattern)) {
		const folded = fold(word.slice(0, maxWordLength));
		if (hasSubstance.test(word) && folded !== '' && !words.has(folded)) {
			// The index adds two bytes to each word.
			bytes += Buffer.byteLength(folded) + 2;
			if (bytes > maxIndexedBytes) {
				break;
			}

			words.add(folded);
		}
	}

	return [...words].map(word => `'${word}'`).join(' ');
}

type SearchTerms = ReadonlyArray<{readonly word: string; readonly isWhole: boolean}>;

/** Parses what a person searches for; empty when it contains no word. */
export const searchTermsOf = (text: string): SearchTerms =>
	searchWords(text)
		.map(({word, isWhole}) => ({word: fold(word), isWhole}))
		.filter(({word}) => word !== '');

/** All search terms in the syntax of a `tsquery`. */
export const queryOf = (asked: SearchTerms): string =>
	asked.map(({word, isWhole}) => `'${word}'${isWhole ? '' : ':*'}`).join(' & ');

/** An excerpt of a text around the first match. */
export function excerptOf(text: string, asked: SearchTerms): string {
	const isAsked = (word: string) => {
		const folded = fold(word.slice(0, maxWordLength));
		return asked.some(one => (one.isWhole ? folded === one.word : folded.startsWith(one.word)));
	};
	const normal = text.normalize('NFC');
	const places: Array<{readonly start: number; readonly end: number}> = [];
	let hit: number | undefined;
	for (const {0: word, index} of normal.matchAll(wordPattern)) {
		places.push({start: index, end: index + word.length});
		hit ??= isAsked(word) ? places.length - 1 : undefined;
		// One more word shows whether the text goes on.
		if (hit !== undefined && places.length > hit + excerptWords) {
			break;
		}
	}

	// A few words before the match show the context.
	const first = Math.max(0, Math.min((hit ?? 0) - excerptWords / 4, places.length - excerptWords));
	const last = first + excerptWords - 1;
	const start = first === 0 ? 0 : (places[first]?.start ?? 0);
	const end = places.length > last + 1 ? (places[last]?.end ?? normal.length) : normal.length;
	return `${start > 0 ? '…' : ''}${normal.slice(start, end)}${end < normal.length ? '…' : ''}`;
}
