import {
	array,
	assert,
	asyncProperty,
	constantFrom,
	nat,
	oneof,
	tuple,
	uint8Array,
} from 'fast-check';
import {expect, test} from 'vitest';
import {createInputFrontend} from '../../../source/terminal/input/input-frontend.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeTerminal} from '../../helpers/fake-terminal.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {openFrontend as open} from './open-frontend.ts';

const escape = '\u001B';

test('keys that came in one read are single keys', async () => {
	const {type, ids} = open();
	await type(`jjj${escape}[Aabc\r`);
	expect(ids()).toEqual(['j', 'j', 'j', 'up', 'a', 'b', 'c', 'enter']);
});

test('the first key of a read is handed out at once, the others one a turn', async () => {
	const {terminal, type, ids} = open();
	terminal.type('abc');
	expect(ids()).toEqual(['a']);
	await type();
	expect(ids()).toEqual(['a', 'b', 'c']);
});

test('a key is alone only when its read held nothing else', async () => {
	const {type, keys, pause} = open();
	await type('a', 'bc', `${escape}[A`);
	await type(escape);
	await pause(60);
	await type(`x${escape}`);
	await pause(60);
	expect(keys.map(({id, alone}) => [id, alone])).toEqual([
		['a', true],
		['b', false],
		['c', false],
		['up', true],
		['esc', true],
		['x', false],
		['esc', false],
	]);
});

test('a key whose sequence was split, or that stands beside a paste or a mouse report, is not alone', async () => {
	const {type, keys} = open();
	await type(`${escape}[`, 'A', `a${escape}[200~x${escape}[201~`, `${escape}[<0;1;1Mb`);
	expect(keys.map(({id, alone}) => [id, alone])).toEqual([
		['up', false],
		['a', false],
		['b', false],
	]);
});

test('a key behind the rest of a character that was torn is not alone', async () => {
	const {type, keys} = open();
	const [first = 0, last = 0] = Buffer.from('é');
	await type(Uint8Array.of(first), Uint8Array.of(last), 'b');
	await type(Uint8Array.of(first), Buffer.concat([Uint8Array.of(last), Buffer.from('a')]), 'b');
	// Each read is as long as what came of it, and yet none is whole.
	const both = Uint8Array.of(last, first);
	await type(Uint8Array.of(first), both, both, Uint8Array.of(last));
	expect(keys.map(({id, alone}) => [id, alone])).toEqual([
		['é', false],
		['b', true],
		['é', false],
		['a', false],
		['b', true],
		['é', false],
		['é', false],
		['é', false],
	]);
});

test('a paste that holds "a" is no key', async () => {
	const {type, keys, pastes} = open();
	await type(`${escape}[200~a${escape}[201~`);
	expect(keys).toEqual([]);
	expect(pastes).toEqual([{text: 'a', complete: true, t: 0}]);
});

test('keys carry the time at which they were read', async () => {
	const {type, keys, clock} = open();
	await type('a');
	clock.advance(250);
	await type('b');
	expect(keys.map(({t}) => t)).toEqual([0, 250]);
});

test('Escape is handed out after 60 ms without a rest', async () => {
	const {type, ids, pause} = open();
	await type(escape);
	await pause(59);
	expect(ids()).toEqual([]);
	await pause(1);
	expect(ids()).toEqual(['esc']);
});

test('over a slow link the delay can be longer', async () => {
	const clock = createFakeClock();
	const terminal = createFakeTerminal();
	using frontend = createInputFrontend(terminal.stream, {clock, escapeDelayMs: 100});
	const ids: string[] = [];
	frontend.onKey(({id}) => ids.push(id) > 0);
	frontend.stdin.setRawMode(true);
	terminal.type(escape);
	clock.advance(99);
	terminal.type('[A');
	expect(ids).toEqual(['up']);
});

test('mouse and focus reports are events of their own', async () => {
	const {type, keys, mouse, focus} = open();
	await type(
		`${escape}[<0;10;5M${escape}[<0;10;5m${escape}[<64;3;4M${escape}[<65;3;4M${escape}[<35;1;1M${escape}[I${escape}[O`,
	);
	expect(keys).toEqual([]);
	expect(mouse.map(({kind, button, column, row}) => [kind, button, column, row])).toEqual([
		['press', 0, 10, 5],
		['release', 0, 10, 5],
		['wheel-up', 0, 3, 4],
		['wheel-down', 1, 3, 4],
		['move', -1, 1, 1],
	]);
	expect(focus).toEqual([true, false]);
});

// Before `CSI <` nobody can tell what it is going to be.
test.for([3, 4, 5, 6, 7, 8, 9, 10, 11])(
	'a mouse report that was torn after %i characters for longer than the delay is not typed as text',
	async cut => {
		const {type, ids, pause} = open();
		const report = `${escape}[<35;150;7M`;
		await type(report.slice(0, cut));
		await pause(200);
		await type(report.slice(cut), 'j');
		await pause(200);
		expect(ids()).toEqual(['j']);
	},
);

test('a digit that follows a torn mouse report is still a key', async () => {
	const {type, ids, pause} = open();
	await type(`${escape}[<35;1`);
	await pause(200);
	await type('5');
	expect(ids()).toEqual(['5']);
});

test('replies of the terminal are swallowed; Ink gets the one it asks for', async () => {
	const {type, keys, toInk, pause} = open();
	await type(
		`${escape}[?1u${escape}[?62;22c${escape}[24;80R${escape}]11;rgb:0000/0000/0000${escape}\\`,
		`${escape}]11;rgb:ffff/ffff/ffff\u0007${escape}P>|xterm(390)${escape}\\${escape}[?2026;2$y${escape}_Gi=1;OK${escape}\\`,
	);
	await pause(1000);
	expect(keys).toEqual([]);
	expect(toInk).toEqual([`${escape}[?1u`]);
});

test('Alt with a letter that begins a reply is a key', async () => {
	const {type, ids, pause} = open();
	await type(`${escape}]`);
	await pause(60);
	await type(`${escape}Px`);
	expect(ids()).toEqual(['alt+]', 'alt+P', 'x']);
});

test('a family emoji is one key, also when its read was cut', async () => {
	const {type, keys, pause} = open();
	const family = '👨‍👩‍👧‍👦';
	const bytes = Buffer.from(family);
	await type(...Array.from(bytes, byte => Uint8Array.of(byte)));
	await pause(60);
	expect(keys.map(({text}) => text)).toEqual([family]);
});

test('ordinary letters of any script are not held back', async () => {
	const {type, ids} = open();
	await type('é', 'я', '日', 'ا');
	expect(ids()).toEqual(['é', 'я', '日', 'ا']);
});

test('a pasted line break, control or escape sequence is never a key', async () => {
	const {type, keys, pastes} = open();
	const text = `rm -rf /\r\n${escape}[A\u0003${escape}[200~y`;
	await type(`${escape}[200~${text}${escape}[201~`);
	expect(keys).toEqual([]);
	expect(pastes[0]?.text).toBe(text);
});

test('a paste whose end mark is lost ends after 2 s of silence, and keys work again', async () => {
	const {type, keys, pastes, pause, ids} = open();
	await type(`${escape}[200~abc`);
	await pause(1999);
	await type(`def${escape}[20`);
	await pause(1999);
	expect(pastes).toEqual([]);
	await pause(1);
	expect(pastes).toEqual([{text: 'abcdef', complete: false, t: 3998 + 1}]);
	expect(keys).toEqual([]);
	await type('j');
	expect(ids()).toEqual(['j']);
});

test('a paste is cut at 1 MB, and what is beyond is dropped, not typed', async () => {
	const {type, keys, pastes} = open();
	const piece = 'x'.repeat(65_536);
	await type(`${escape}[200~`, ...Array.from({length: 20}, () => piece), `${escape}[201~`, 'j');
	expect(pastes.map(({text, complete}) => [text.length, complete])).toEqual([[1_048_576, false]]);
	expect(keys.map(({id}) => id)).toEqual(['j']);
});

test('a flood of keys is bounded', async () => {
	const {type, keys} = open();
	await type('k'.repeat(50_000));
	expect(keys).toHaveLength(10_001);
});

test('Ink gets no key while no field has the focus', async () => {
	const {type, toInk, frontend} = open();
	await type(`abc\r${escape}[A`);
	expect(toInk).toEqual([]);
	expect(frontend.fieldFocused()).toBe(false);
});

/** A field that remembers what it gets. */
function remembering() {
	const got: string[] = [];
	return {
		got,
		field: {
			key({id}: {readonly id: string}) {
				got.push(id);
			},
			paste(text: string) {
				got.push(`paste ${text}`);
			},
		},
	};
}

test('a focused field gets what nobody took, each piece on its own, until it is released', async () => {
	const {type, toInk, frontend} = open();
	const {got, field} = remembering();
	const outer = frontend.focusField(remembering().field);
	const release = frontend.focusField(field);
	await type(`ab${escape}[D\u007F\u0017${escape}[3~${escape}f\t\r`);
	await type(`${escape}[200~two\nlines\u0007${escape}[201~`);
	const all = 'a b left backspace ctrl+w delete alt+f tab enter'.split(' ');
	expect(got).toEqual([...all, 'paste two lines']);
	expect(toInk).toEqual([]);
	release();
	release();
	outer();
	await type('z');
	expect(got).toHaveLength(10);
	expect(frontend.fieldFocused()).toBe(false);
});

test('a taken key goes neither to the next handler nor to the field', async () => {
	const {type, frontend, terminal, clock} = open();
	const second = createInputFrontend(terminal.stream, {clock});
	second[Symbol.dispose]();
	const {got, field} = remembering();
	using _ = {[Symbol.dispose]: frontend.focusField(field)};
	const later: string[] = [];
	frontend.onKey(({id}) => id === 'b');
	const stop = frontend.onKey(({id}) => later.push(id) > 9);
	await type('abc');
	expect(later).toEqual(['a', 'c']);
	expect(got).toEqual(['a', 'c']);
	stop();
	await type('d');
	expect(later).toEqual(['a', 'c']);
});

test('the terminal is read only while raw mode is on, and what was held is forgotten then', async () => {
	const {type, ids, terminal, frontend, pause} = open({reading: false});
	await type('a');
	expect(ids()).toEqual([]);
	frontend.stdin.setRawMode(true);
	expect([terminal.isRaw(), terminal.isPaused()]).toEqual([true, false]);
	await type(`b${escape}`);
	frontend.stdin.setRawMode(false);
	expect([terminal.isRaw(), terminal.isPaused()]).toEqual([false, true]);
	await type('c');
	await pause(1000);
	frontend.stdin.setRawMode(true);
	await type('d');
	expect(ids()).toEqual(['b', 'd']);
});

const begun = [
	['a mouse report', [`${escape}[<35;1`], '50;7M'],
	['an answer', [`${escape}]11;rgb:12`], '34/5678/9abc\u0007'],
	['a paste', [`${escape}[200~abc`], 'def'],
	['a row of keys', ['abc'], 'd'],
] as const;

test.for(begun)(
	'of %s that was begun before the terminal was given away nothing is left',
	async ([, before, after]) => {
		const asUsual = open();
		await asUsual.type(after);
		await asUsual.pause(3000);

		const {type, terminal, keys, pastes, mouse, frontend, clock, pause} = open();
		for (const piece of before) {
			terminal.type(piece);
		}

		clock.advance(100);
		const already = {keys: keys.length, mouse: mouse.length};
		frontend.stdin.setRawMode(false);
		frontend.stdin.setRawMode(true);
		await type(after);
		await pause(3000);
		expect(keys.slice(already.keys).map(({id}) => id)).toEqual(asUsual.keys.map(({id}) => id));
		expect(pastes).toEqual([]);
		expect(mouse.slice(already.mouse)).toEqual([]);
	},
);

test.for([
	['mouse report', `${escape}[<35;1`, '50;7M'],
	['answer', `${escape}]11;rgb:12`, '34/5678/9abc\u0007'],
] as const)(
	'the rest of a torn %s that comes after more than a second is typed',
	async ([, half, rest]) => {
		const soon = open();
		await soon.type(half);
		await soon.pause(100);
		await soon.pause(900);
		await soon.type(rest);
		await soon.pause(1000);
		expect(soon.ids()).toEqual([]);

		const late = open();
		await late.type(half);
		await late.pause(100);
		await late.pause(1001);
		await late.type(rest);
		await late.pause(1000);
		expect(late.keys.map(({text}) => text).join('')).toContain(rest.slice(0, 3));
	},
);

test('keys that wait when a handler gives the terminal away are dropped', async () => {
	const {type, ids, frontend} = open();
	frontend.onKey(({id}) => {
		if (id === 'e') {
			frontend.stdin.setRawMode(false);
		}

		return false;
	});
	await type('aexx');
	expect(ids()).toEqual(['a', 'e']);
});

test('the end of the terminal is told', () => {
	const {terminal, frontend} = open();
	let ends = 0;
	frontend.onEnd(() => ends++);
	terminal.stream.emit('error', new Error('EIO'));
	terminal.stream.emit('end');
	expect(ends).toBe(2);
	frontend[Symbol.dispose]();
	expect(terminal.stream.listenerCount('data')).toBe(0);
	expect(terminal.stream.listenerCount('end')).toBe(0);
});

const corpus = [
	'jjj',
	'abc\r',
	'é日本я',
	'👨‍👩‍👧',
	'👍🏽',
	'🇩🇪🇫🇷',
	'⚠️',
	`${escape}[A`,
	`${escape}OB`,
	`${escape}[1;5C`,
	`${escape}[3~`,
	`${escape}[Z`,
	`${escape}[[C`,
	`${escape}[2$`,
	`${escape}${escape}[D`,
	`${escape}a`,
	`${escape}é`,
	`${escape}\r`,
	`${escape}[107;5u`,
	`${escape}[97;;229u`,
	`${escape}[27;5;107~`,
	`${escape}[I`,
	`${escape}[<0;10;5M`,
	`${escape}[<35;150;7m`,
	`${escape}[M !!`,
	`${escape}[200~pasted\r\n${escape}[A日${escape}[201~`,
	`${escape}]11;rgb:0/0/0${escape}\\`,
	`${escape}P1$r0m${escape}\\`,
	`${escape}[?1;2c`,
	`${escape}[9999;1\u0001`,
	`${escape}[<1;2x`,
	'\u0003',
	'\u007F\u007F',
	'\t',
] as const;

/** `bytes` cut at the places that `cuts` name. */
const pieces = (bytes: Buffer, cuts: readonly number[]) => {
	const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
	return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
};

const outcome = async (reads: readonly Uint8Array[]) => {
	const {type, pause, keys, pastes, mouse, focus} = open();
	await type(...reads);
	await pause(2500);
	return {
		keys: keys.map(({id, text}) => [id, text]),
		pastes: pastes.map(({text, complete}) => [text, complete]),
		mouse: mouse.map(({kind, column, row}) => [kind, column, row]),
		focus,
	};
};

test('however the same bytes are cut into reads, the same keys come out', async () => {
	await assert(
		asyncProperty(
			array(constantFrom(...corpus), {minLength: 1, maxLength: 8}),
			array(nat({max: 400}), {maxLength: 12}),
			async (parts, cuts) => {
				const bytes = Buffer.from(parts.join(''));
				expect(await outcome(pieces(bytes, cuts))).toEqual(await outcome([bytes]));
			},
		),
		{numRuns: propertyRuns(1000)},
	);
});

test('each sequence of the corpus survives each single cut', async () => {
	for (const sequence of corpus) {
		const bytes = Buffer.from(`${sequence}j`);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const whole = await outcome([bytes]);
		for (let cut = 1; cut < bytes.length; cut++) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			expect(await outcome(pieces(bytes, [cut]))).toEqual(whole);
		}
	}
});

/** Text without controls, or one of the few keys that fields know. */
test('random bytes never throw, never leak a mouse report, and the keyboard works afterwards', async () => {
	const noise = oneof(
		uint8Array({maxLength: 12}),
		constantFrom(...corpus).map(text => Buffer.from(text)),
		constantFrom(...corpus).map(text => Buffer.from(text).subarray(0, -1)),
	);
	await assert(
		asyncProperty(
			array(tuple(noise, constantFrom(0, 10, 61, 500)), {maxLength: 20}),
			async reads => {
				const {type, pause, keys, toInk, frontend} = open();
				const {got, field} = remembering();
				frontend.focusField(field);
				for (const [bytes, ms] of reads) {
					// oxlint-disable-next-line no-await-in-loop -- in order
					await type(bytes);
					// oxlint-disable-next-line no-await-in-loop -- in order
					await pause(ms);
				}

				await pause(5000);
				expect(toInk).toEqual([]);
				expect(got.filter(piece => /\p{Cc}/u.test(piece))).toEqual([]);
				await type('j');
				expect(keys.at(-1)).toMatchObject({id: 'j', text: 'j'});
			},
		),
		{numRuns: propertyRuns(1000)},
	);
});
