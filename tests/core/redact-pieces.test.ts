import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createRedact, createRedactedPieces} from '../../source/core/redact.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

const key = 'sk-upstream-secret-0123456789';
const spaced = 'sk- correct horse';
const secrets = [key, spaced];
const {known} = createRedact(() => secrets);

/** In the middle of a word up to three letters leave before a secret is known, and up to five at a pause; they may stand before it. */
const withoutLeads = (text: string) =>
	text.replaceAll(/(?:sk-up|sk-u|sk- c|sk- |sk-|sk|s)*\[redacted\]/g, '*');

test('of secrets that are known by value nothing leaves but three letters, wherever a text is cut, or five where it pauses, and all else arrives in order', () => {
	const word = fc.constantFrom(
		's',
		'sk-up ',
		key,
		spaced,
		' Paris ',
		key.slice(0, 9),
		key.slice(3),
		'k-',
		'\n',
	);
	const text = fc.array(word, {maxLength: 12}).map(words => words.join(''));
	const sizes = fc.array(fc.integer({min: 1, max: 7}), {minLength: 1});
	const pauses = fc.array(fc.boolean(), {minLength: 1});
	fc.assert(
		fc.property(text, sizes, pauses, (said, lengths, isPaused) => {
			const pieces = createRedactedPieces(known ?? (same => same));
			let shown = '';
			for (let at = 0, turn = 0; at < said.length; turn++) {
				const size = lengths[turn % lengths.length] ?? 1;
				shown += pieces.add(said.slice(at, at + size));
				shown += isPaused[turn % isPaused.length] ? pieces.pause() : '';
				at += size;
			}

			shown += pieces.end();
			expect(pieces.isHolding).toBe(false);
			expect(withoutLeads(shown)).toBe(withoutLeads(known?.(said) ?? ''));
		}),
		{numRuns: propertyRuns(4000)},
	);
});
