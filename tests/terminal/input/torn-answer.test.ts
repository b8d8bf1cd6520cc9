/* oxlint-disable no-control-regex -- answers of a terminal are made of control characters */
import {array, assert, asyncProperty, constantFrom, integer, nat, pre, record} from 'fast-check';
import {expect, test} from 'vitest';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {openFrontend} from './open-frontend.ts';

const escape = '\u001B';
const bell = '\u0007';
const colors = [
	`${escape}]11;rgb:1e1e/1e1e/2e2e${bell}`,
	`${escape}]11;rgba:FF/FF/fa/80${escape}\\`,
	`${escape}]11;rgb:0/f/a\u009C`,
] as const;
const attributes = `${escape}[?64;1;22c`;

function ask(isAsked = true) {
	const setup = openFrontend();
	const answers: string[] = [];
	const release = isAsked
		? setup.frontend.expectAnswers(raw => {
				answers.push(raw);
			})
		: undefined;
	return {...setup, answers, release};
}

test.for(colors.flatMap(color => [color + attributes, color]))(
	'an answer that comes byte by byte is heard, and typed nowhere: %j',
	async text => {
		const {type, pause, keys, answers, pastes, mouse} = ask();
		for (const byte of text) {
			await type(byte);
			await pause(200);
		}

		await type('j');
		expect(keys.map(({id, alone}) => [id, alone])).toEqual([['j', true]]);
		expect(answers.join('')).toBe(text);
		expect([pastes, mouse]).toEqual([[], []]);
	},
);

test('an answer is typed nowhere however it was cut, also when nobody waits for it any more', async () => {
	await assert(
		asyncProperty(
			record({
				color: constantFrom(...colors),
				cuts: array(record({at: nat(40), pauseMs: constantFrom(0, 10, 50, 59)}), {maxLength: 6}),
				late: record({at: integer({min: 3, max: 40}), pauseMs: integer({min: 100, max: 900})}),
				isAsked: constantFrom(true, false),
				end: constantFrom('', attributes),
				key: constantFrom('j', 'q', `${escape}[A`),
			}),
			async ({color, cuts, late, isAsked, end, key}) => {
				const {type, pause, ids} = ask(isAsked);
				const text = color + end;
				const isLone = (place: number) => /\u001B[[\]]?$/.test(text.slice(0, place));
				// Of a lone Escape nobody can tell that it is no key, unless an answer is due.
				const at = (place: number): number => (isLone(place) && !isAsked ? at(place + 1) : place);
				const pauses = new Map([
					...cuts.map(cut => [cut.at, cut.pauseMs] as const),
					[at(late.at), isAsked && isLone(late.at) ? 240 : late.pauseMs],
				]);
				let from = 0;
				for (const [place, ms] of [...pauses].toSorted(([one], [other]) => one - other)) {
					await type(...[text.slice(from, place)].filter(Boolean));
					await pause(ms);
					from = Math.max(from, place);
				}

				await type(...[text.slice(from)].filter(Boolean));
				await pause(1001);
				await type(key);
				expect(ids()).toEqual([key.startsWith(escape) ? 'up' : key]);
			},
		),
		{numRuns: propertyRuns(400)},
	);
});

test('the rest in one piece is known even when the Escape before it was taken for a key', async () => {
	const {type, pause, ids, answers} = ask();
	await type(escape);
	await pause(600);
	await type(colors[0].slice(1));
	expect([ids(), answers]).toEqual([['esc'], [colors[0]]]);
});

test.for([true, false])(
	'what a person types stays a key while an answer is due (%j)',
	async isAsked => {
		const {type, pause, ids, pastes} = ask(isAsked);
		await type(escape);
		await pause(300);
		await type(']', '1', '1', ';', 'r');
		await pause(300);
		await type(`${escape}]`);
		await pause(300);
		await type(`${escape}[200~]11;rgb:0/0/0${bell}${escape}[201~`);
		await type(']11;rgb:0/0/0');
		await type(escape);
		await pause(300);
		await type('[?6');
		await pause(300);
		expect(ids().join(' ')).toBe('esc ] 1 1 ; r alt+] ] 1 1 ; r g b : 0 / 0 / 0 esc [ ? 6');
		expect(pastes.map(({text}) => text)).toEqual([`]11;rgb:0/0/0${bell}`]);
	},
);

test('no key is lost or changed by the question', async () => {
	await assert(
		asyncProperty(
			array(
				record({
					piece: constantFrom(
						escape,
						`${escape}]`,
						`${escape}[A`,
						']',
						'1',
						';',
						'r',
						'c',
						'[',
						'?',
						'4',
						'\u0007',
						'\\',
						'é',
						'🙂',
					),
					pauseMs: constantFrom(0, 20, 300),
				}),
				{maxLength: 20},
			),
			async pieces => {
				const typed = async (isAsked: boolean) => {
					const {type, pause, ids} = ask(isAsked);
					for (const {piece, pauseMs} of pieces) {
						await type(piece);
						await pause(pauseMs);
					}

					await pause(1000);
					return ids();
				};

				// A hand makes no sequence of these: what a terminal would read as one is left out.
				const text = pieces.map(({piece}) => piece).join('');
				pre(!/\u001B[[\]O][\]\d;?[]/.test(text));
				expect(await typed(true)).toEqual(await typed(false));
			},
		),
		{numRuns: propertyRuns(300)},
	);
});

test('keys behind an answer that broke off are keys', async () => {
	const {type, pause, ids} = ask();
	await type(`${escape}]11;rgb:1e1e/1e`);
	await type('j', 'k');
	await pause(20);
	await type(`${escape}[A`);
	await pause(300);
	expect(ids()).toEqual(['j', 'k', 'up']);
});

test('a lone Escape waits longer only while an answer is due, and nothing is due after the terminal was lent', async () => {
	const {type, pause, ids, frontend, answers} = ask();
	await type(escape);
	await pause(249);
	expect(ids()).toEqual([]);
	await pause(1);
	expect(ids()).toEqual(['esc']);
	frontend.stdin.setRawMode(false);
	frontend.stdin.setRawMode(true);
	await type(colors[0], escape);
	await pause(60);
	expect([ids(), answers]).toEqual([['esc', 'esc'], []]);
});
