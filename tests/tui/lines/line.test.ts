import {array, assert, constantFrom, integer, property} from 'fast-check';
import {expect, test} from 'vitest';
import {escapeBlock} from '../../../source/core/untrusted.ts';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {wrapText} from '../../../source/tui/lines/line.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

test('rows lose and double nothing of a text, and none is wider than asked', () => {
	const unit = constantFrom(
		'a',
		'é',
		' ',
		'\n',
		'漢',
		'👍',
		'☀️',
		'🇩🇪',
		'👩‍👩‍👧‍👦',
		'ำ',
		'\u0301',
		'\u202E',
	);
	const texts = array(unit, {maxLength: 60}).map(parts => parts.join(''));
	const withoutBlanks = (text: string) => text.replaceAll(/[ \n]/g, '');
	assert(
		property(texts, integer({min: 8, max: 30}), (text, width) => {
			const rows = wrapText(text, width);
			expect(withoutBlanks(rows.join(''))).toBe(withoutBlanks(escapeBlock(text)));
			expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(width);
		}),
		{numRuns: propertyRuns(1000)},
	);
});
