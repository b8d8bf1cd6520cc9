/* oxlint-disable no-console -- what is under test */
import {expect, test} from 'vitest';
import {captureConsole} from '../../source/core/log.ts';

/** What reaches the real console while `act` runs. */
function reaching(act: () => void): readonly unknown[][] {
	const {warn} = console;
	const said: unknown[][] = [];
	console.warn = (...parts: unknown[]) => {
		said.push(parts);
	};
	try {
		act();
		return said;
	} finally {
		console.warn = warn;
	}
}

test('the newest hears, the others take over again, and in the end the console is what it was', () => {
	const heard: string[] = [];
	const said = reaching(() => {
		const first = captureConsole(text => heard.push(`first: ${text}`));
		const second = captureConsole(text => heard.push(`second: ${text}`));
		console.warn('a %s', 'b', {c: 1});
		first[Symbol.dispose]();
		console.warn('x');
		second[Symbol.dispose]();
		second[Symbol.dispose]();
		console.warn('seen');
	});

	expect(heard).toEqual(['second: a b { c: 1 }', 'second: x']);
	expect(said).toEqual([['seen']]);
});

test('what is said is bounded, and what cannot be shown is no failure', () => {
	const heard: string[] = [];
	using _ = captureConsole(text => heard.push(text));
	console.debug('x'.repeat(1_000_000));
	console.error({
		get [Symbol.toStringTag]() {
			throw new Error('no');
		},
	});

	expect(heard).toEqual(['x'.repeat(2000), expect.any(String)]);
});
