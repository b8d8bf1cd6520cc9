import {array, assert, constantFrom, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {deliveryVocabulary} from '../../../source/core/filter/delivery-vocabulary.ts';
import {parseFilter} from '../../../source/core/filter/filter.ts';
import {knownValues} from '../../../source/core/filter/known-values.ts';
import {
	completeFilterText,
	propose,
	unknownValue,
	type CompletedText,
	type KnownField,
} from '../../../source/core/filter/proposals.ts';
import {runVocabulary} from '../../../source/core/filter/vocabularies.ts';
import {initialState} from '../../../source/core/state.ts';
import {makeRun} from '../../helpers/make.ts';

const state = {
	...initialState,
	runs: ['gh-review', 'gh-push', 'two words', 'a,b', 'hid\u202Eden'].map((route, index) =>
		makeRun({id: index + 1, route, event: `push.${index}`}),
	),
};

const fields: readonly KnownField[] = [
	{path: ['action'], json: '"opened"'},
	{path: ['pull_request']},
	{path: ['pull_request', 'draft'], json: 'true'},
	{path: ['pull_request', 'Drawn by'], json: '1'},
	{path: ['pull_request', 'labels']},
	{path: ['pull_request', 'labels', '0'], json: '"bug"'},
];

const known = knownValues(state, () => fields);

test.for([
	['', 0, 'route: event: subject: status: outcome: id: ms> size> since: has: ignored: payload.'],
	['st', 0, 'status:'],
	['push -s', 6, 'subject: status: size> since:'],
	['has:', 4, 'flags run replay'],
	['has:re', 4, 'replay'],
	['has:replay', 4, ''],
	['route:push', 6, 'gh-push'],
	['route:', 6, '"two words" gh-push gh-review'],
	['route:gh-push,gh-r', 14, 'gh-review'],
	['route:"two', 6, '"two words"'],
	['outcome:ignored:f', 8, 'ignored:filter'],
	['since:', 6, '10m 1h 1d'],
	['ms>', 3, ''],
	['route>g', 7, ''],
	['"free', 5, ''],
	['~ st', 4, ''],
	['https://st', 10, ''],
	['payload.', 8, 'action: pull_request.'],
	['payload.pull_request.', 21, 'draft: labels.'],
	['payload.pull_request.labels.', 28, '0:'],
	['payload.pull_request.draft:', 27, 'true *'],
	['payload.action:op', 15, 'opened'],
	['payload.nowhere.', 16, ''],
	[
		'route:gh ',
		9,
		'route: event: subject: status: outcome: id: ms> size> since: has: ignored: payload.',
	],
] as const)('%j goes on from %i with %s', ([text, start, words]) => {
	const found = propose(text, deliveryVocabulary, known);

	expect(found.start).toBe(start);
	const shown = text === 'route:' ? found.words.toSorted() : found.words;
	expect(shown.join(' ')).toBe(words);
});

test('a payload within the payload is read from there, as the filter reads it', () => {
	const wrapped = knownValues(state, () => [
		{path: ['timestamp'], json: '1'},
		...fields.map(({path, ...field}) => ({...field, path: ['payload', ...path]})),
	]);

	expect(propose('payload.', deliveryVocabulary, wrapped).words).toEqual([
		'action:',
		'pull_request.',
	]);
	expect(propose('payload.action:', deliveryVocabulary, wrapped).words).toEqual(['opened', '*']);
});

/** What so many presses of Tab make of `text`. */
function pressed(text: string, ...steps: ReadonlyArray<1 | -1>): string {
	let last: CompletedText | undefined;
	let now = text;
	for (const step of steps) {
		last = completeFilterText(now, {
			last,
			step,
			proposalsFor: from => propose(from, deliveryVocabulary, known),
		});
		now = last?.text ?? now;
	}

	return now;
}

test.for([
	['rou', [1], 'route:'],
	['s', [1], 'subject:'],
	['s', [1, 1], 'status:'],
	['s', [1, 1, -1], 'subject:'],
	['s', [-1], 'since:'],
	['s', [1, 1, 1, 1, 1], 'subject:'],
	['route:GH', [1], 'route:gh-'],
	['route:gh', [1], 'route:gh-'],
	['route:gh', [1, 1], 'route:gh-push'],
	['route:gh', [1, 1, 1], 'route:gh-review'],
	['route:gh-p', [1, 1], 'route:gh-push'],
	['push payload.pull', [1, 1], 'push payload.pull_request.draft:'],
	['nothing-like-it', [1], 'nothing-like-it'],
	['has:fl', [1], 'has:flags'],
	['has:,fl', [1], 'has:,fl'],
	['has:run,', [1], 'has:run,'],
] as const)('%j with Tab pressed %j becomes %s', ([text, steps, result]) => {
	expect(pressed(text, ...steps)).toBe(result);
});

test('whatever is proposed is understood when it is put in', () => {
	const beginning = oneof(
		constantFrom('route:', 'has:', 'payload.', 'payload.pull_request.', 'status:2', '-', 'a '),
		string({maxLength: 8}),
	);
	assert(
		property(array(beginning, {maxLength: 4}), parts => {
			const text = parts.join('');
			const {start, words} = propose(text, deliveryVocabulary, known);
			for (const word of words) {
				const whole = text.slice(0, start) + word;
				const {pieces} = parseFilter(whole, deliveryVocabulary);
				const problem = pieces.at(-1)?.problem ?? '';
				const wantsMore = /[.:>]$/.test(word) && / wants a value$|takes a path/.test(problem);
				expect(wantsMore ? '' : `${whole} ${problem}`).toBe(wantsMore ? '' : `${whole} `);
			}
		}),
	);
});

test.for([
	['stat:dead', 'Unknown filter key stat: do you mean state:?'],
	['-rout:gh', 'Unknown filter key rout: do you mean route:?'],
] as const)('%s is left out, and the nearest word is named', ([text, problem]) => {
	expect(parseFilter(text, runVocabulary).problem).toBe(problem);
});

test.for([
	[runVocabulary, 'state:ded', 'there is no "ded": do you mean dead?'],
	[runVocabulary, 'state:dead,xyz', '"xyz" is none of queued, running, delivering'],
	[deliveryVocabulary, 'status:9xx', 'no answer is a "9xx": 100 to 599'],
	[deliveryVocabulary, 'status:42', 'no answer is a "42": 100 to 599'],
	[deliveryVocabulary, 'outcome:dublicate', 'there is no "dublicate": do you mean duplicate?'],
] as const)('what can find nothing is applied and said: %#', ([vocabulary, text, doubt]) => {
	const filter = parseFilter<never>(text, vocabulary);

	expect(filter.doubt).toContain(doubt);
	expect(filter.problem).toBeUndefined();
	expect(filter.isEmpty).toBe(false);
});

test.for(['state:dead', 'state:d', 'state:d*', 'state:DEAD,silent', 'route:x', '#4'])(
	'%s may find something',
	text => {
		expect(parseFilter(text, runVocabulary).doubt).toBeUndefined();
	},
);

test.for([
	['route:gh-reviw', 'route: there is no "gh-reviw": do you mean gh-review?'],
	['push route:nowhere', 'route: "nowhere" is none of hid'],
	['route:gh-*', ''],
	['route:review', ''],
	['event:never', ''],
	['route:"open', ''],
] as const)('of %s is said %s', ([text, said]) => {
	const words = unknownValue(text, runVocabulary, known) ?? '';

	expect(words.slice(0, said.length || undefined)).toBe(said);
});
